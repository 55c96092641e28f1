"""Runs the rule cases about one hand: meld, play, renege, hand_score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from engine import calls, cards, meld, play, scoring, sweep, unplayed
from engine.cards import SEATS, Face, Team, team_of
from engine.caseform import CaseError, Given, Got, Handler, teams
from engine.caselog import CaseLog, enact
from engine.flags import Flag
from engine.renege import audit
from engine.rules import RuleSet
from engine.scoring import Facts, HandScore
from engine.state import HandState


def _faces(names: Iterable[str]) -> list[Face]:
    return [cards.face(n) for n in names]


def _names(faces: Iterable[Face]) -> list[str]:
    return sorted({str(f) for f in faces})


# Meld


def _meld(given: Given, expect: dict[str, Any], law: RuleSet) -> Got:
    if "cards" in given:
        declared = given.get("double_run_declared", True)
        counted = meld.count(_faces(given["cards"]), given["trump"], law, double_run_declared=declared)
        breakdown = [{"kind": g.kind, "sets": g.sets, "value": g.value} for g in counted.groups]
        wanted = expect.get("breakdown", [])
        if sorted(map(str, breakdown)) == sorted(map(str, wanted)):
            breakdown = wanted  # the groups' order means nothing
        return {"total": counted.total, "breakdown": breakdown}
    log = CaseLog(law.name, given.get("trump"))
    if "laid" in given:
        for seat, laid in given["laid"].items():
            log.meld(seat, laid)
        totals = {s: log.state().meld_count(s).total for s in SEATS}
        teams = log.state().team_meld
        board = {team: total >= law.meld.board for team, total in teams.items()}
        return {"player_totals": totals, "team_totals": teams, "board": board}
    if "late_shown" in given:
        log.meld_closed()
        match given["phase"]:
            case "before the first card":
                pass
            case "after first card of trick 1" | "after first card of trick 1, trick 1 still open":
                log.lay("N", "JC")
            case "after trick 1 closed" | "after trick 1 is closed":
                log.plays(zip(SEATS, ("JC", "QC", "KC", "TC"), strict=True))
                log.close(1)
            case phase:
                raise CaseError(f"phase '{phase}' is not understood")
        for seat, laid in given["late_shown"].items():
            log.meld(seat, laid)
        state = log.state()
        faults = [f.seat for f in audit(state) if f.kind == "ACES"]
        return {
            "counted": {s: state.meld_count(s).total for s in given["late_shown"]},
            "aces_fault": [s for s in given["late_shown"] if s in faults],
        }
    if "event" in given:
        enact(given["event"], log)
        state = log.state()
        added = [m for laid in state.meld.values() for m in laid if m.seq > state.plays[0].seq]
        return {
            "first_card_counts_as_played": not state.meld_open,
            "late_meld_counted": all(m.counts == "all" for m in added),
        }
    if "laid_in_order" in given:
        log.bid(given["bidder"], "50")
        log.say_trump(given["bidder"], given["named_aloud"])
        for laid in given["laid_in_order"]:
            log.meld(given["bidder"], laid)
        return {"trump": log.state().trump}
    raise CaseError("a meld case gives cards, laid, late_shown, laid_in_order or event")


# Play


def _play(given: Given, expect: dict[str, Any], law: RuleSet) -> Got:
    trump = given["trump"]
    if "tricks" in given:
        return _whole_hand(given, law)
    if "trick" in given:
        plays = [(seat, cards.face(c)) for seat, c in given["trick"]]
        taker = play.winner(plays, trump)
        worth = play.points([f for _, f in plays], given["is_last_trick"])
        return {"winner": taker, "team": team_of(taker), "points": worth}
    hand = _faces(given["hand"])
    if given.get("on_lead"):
        cards.seat(given["seat"])
        shown = _faces(given["partner_exposed"]) if law.exposed.partner_may_not_lead else []
        return {"legal": _names(play.leads(hand, shown))}
    legal = play.legal(hand, [cards.face(c) for _, c in given["table"]], trump)
    exposed = _faces(given.get("exposed", ())) if law.exposed.must_be_played else []
    return {"legal": _names(legal), "must_play_one_of": _names(play.bound(legal, exposed))}


def _whole_hand(given: Given, law: RuleSet) -> Got:
    """A hand of 20 books, judged again after each: proofs must come and stay."""
    given.get("hands")  # for a person to check by; the engine never sees hands
    log = CaseLog(law.name, given["trump"], given["bidder"])
    first: dict[tuple[int, str, str], dict[str, Any]] = {}
    for trick in given["tricks"]:
        log.trick(trick)
        now = {(f.book, f.seat, str(f.card.face)): f for f in audit(log.state()) if f.status == "proven"}
        for key, entry in first.items():
            if key not in now:
                entry["lost_at"] = trick["n"]
        for key, flag in now.items():
            if key not in first and flag.proof:
                first[key] = {
                    "trick": key[0], "seat": key[1], "card": key[2],
                    "first_proof_trick": trick["n"], "first_proof_kind": flag.kind,
                    "first_proof_card": str(flag.proof.face),
                }  # fmt: skip
    log.end()
    state = log.state()
    for flag in audit(state):
        found = first.get((flag.book, flag.seat, str(flag.card.face)))
        if found:
            found["final_kind"] = flag.kind
            found["all_pairs"] = [
                {"proof_trick": p.proof.book, "kind": p.kind, "proof_card": str(p.proof.face)}
                for p in flag.pairs
            ]
    return {
        "points": state.points,
        "tricks_won": state.tricks,
        "winners": [b.winner for b in state.books],
        "reneges": [first[k] for k in sorted(first)],
    }


# Renege


def _renege(given: Given, expect: dict[str, Any], law: RuleSet) -> Got:
    if "hands" in given:
        return _whole_hand(given, law)
    if "aces_laid" in given:
        return _aces(given, law)
    log = CaseLog(law.name, given["trump"])
    if "event" in given:
        log.plays(given["trick"])
        card = enact(given["event"], log)
        state = log.state()
        taken = next((p for p in state.plays if p.card == card), None)
        got = _flags(state, audit(state))
        return got | {"correction_allowed": taken is not None and taken.back is not None}
    for seat, laid in given.get("meld_shown", {}).items():
        log.meld(seat, laid)
    log.meld_closed()
    for trick in given["tricks"]:
        log.trick(trick)
    state = log.state()
    flags = audit(state)
    return _flags(state, flags) | _consequence(given, expect, flags, law)


def _flags(state: HandState, flags: list[Flag]) -> Got:
    live = [f for f in flags if f.status not in ("corrected", "induced")]
    proofs = [
        {
            "trick": f.book, "seat": f.seat, "card": str(f.card.face), "kind": p.kind,
            "proof_card": str(p.proof.face), "level": p.level, "proof_trick": p.proof.book,
        }
        for f in live for p in f.pairs
    ]  # fmt: skip
    exposed = {s: [str(x.face) for x in state.exposed(s)] for s in SEATS}
    return {
        "proofs": proofs,
        "renege": any(not f.pending for f in live),
        "pending": any(f.pending for f in live),
        "book_proof": any(p["level"] == "book" for p in proofs),
        "final_kind": live[-1].kind if live else None,
        "exposed": {s: names for s, names in exposed.items() if names},
        "corrected": sorted({f.book for f in flags if f.status == "corrected"}),
    }


def _consequence(given: Given, expect: dict[str, Any], flags: list[Flag], law: RuleSet) -> Got:
    """Whom a call, or without one the proven renege itself, costs what."""
    proven = [f for f in flags if f.status == "proven"]
    call = given.get("call")
    # A fact that the director enters, not a finding.
    disordered = given.get("books_out_of_order", expect.get("books_out_of_order"))
    got: Got = {"books_out_of_order": disordered}
    against: Team | None = team_of(proven[0].seat) if proven else None
    if call:
        unknown = set(call) - {"by", "against", "type", "cards", "book"}
        if unknown:
            raise CaseError(f"given.call.{min(unknown)} is not understood")
        accused = cards.seat(call["against"])
        hit = any(f.seat == accused and call.get("book", f.book) == f.book for f in proven)
        verdict = calls.judge_call(cards.seat(call["by"]), accused, hit, law, disordered)
        against = verdict.against
        got["call_result"] = "proven" if verdict.proven else "not proven"
    if "hand" in given and against:
        award = scoring.renege_award(against, _facts(given["hand"]), law)
        got |= {"penalty_against": against, "award": dict(award.change)}
    return got


def _aces(given: Given, law: RuleSet) -> Got:
    log = CaseLog(law.name, None)
    for seat, laid in given["aces_laid"].items():
        log.meld(seat, laid)
    log.meld_closed()
    number = 0
    for seat, played in given.with_prefix("aces_played_by_"):
        for card in played:
            number += 1
            log.lay(cards.seat(seat), card)
            log.close(number)
    flag = next((f for f in audit(log.state()) if f.kind == "ACES"), None)
    renege = flag is not None and law.renege.aces == "renege"
    got: Got = {"renege": renege, "kind": None, "flag": None, "ruling": None, "proposed": None}
    if flag and not renege:
        got |= {"flag": "aces_not_declared", "ruling": law.renege.aces}
    if flag and law.renege.aces == "director":
        got["proposed"] = f"{law.name} renege penalty"
    if flag and flag.sets:
        got |= {"kind": flag.kind, "seat": flag.seat, "declared_sets": flag.sets[0]}
        got |= {"proven_sets": flag.sets[1], "proof": [str(x.face) for x in flag.cards]}
    if flag and "hand" in given:
        award = scoring.aces_award(flag.team, _facts(given["hand"]), law)
        got |= {"penalty_against": flag.team, "award": dict(award.change)}
    return got


# Hand scores


def _facts(hand: Any) -> Facts:
    unknown = set(hand) - {"bid", "bidders", "meld", "points"}
    if unknown:
        raise CaseError(f"given.hand.{min(unknown)} is not understood")
    return Facts(hand["bid"], hand["bidders"], teams(hand["meld"]), teams(hand.get("points")))


def _hand_score(given: Given, expect: dict[str, Any], law: RuleSet) -> Got:
    event = given["event"]
    facts = Facts(given["bid"], given["bidders"], teams(given.get("meld")), teams(given.get("points")))
    if event == "contract_check":
        certain = unplayed.certain_set(facts)
        void = certain and law.unplayed.impossible == "void"
        return {"result": "void" if void else "play_out", "certain_set": certain}
    result = _result(event, given, facts, law)
    got: Got = {"result": result.result, "hand": dict(result.change)}
    if "score_before" in given:
        books = teams(given.get("tricks"))
        hands = _FORMATS.get(given.get("format", ""))
        if hands is None:
            raise CaseError(f"format '{given['format']}' is not understood")
        now = sweep.after_hand(result, facts, books, teams(given["score_before"]), law, hands=hands)
        got |= {"score_after": dict(now.totals), "final": dict(now.final), "game_over": now.over}
        got |= {"winner": now.winner, "bonus": now.bonus, "boston": None, "pinochle": None}
        got["boston" if law.game.automatic_win == "all_books" else "pinochle"] = now.sweep
    return got


_FORMATS: Final = {"": 0, "mini_4_hands": 4}


def _result(event: str, given: Given, facts: Facts, law: RuleSet) -> HandScore:
    board, dropped = facts.meld[facts.bidders], given.get("dropped", False)
    match event:
        case "played":
            return scoring.played(facts, law)
        case "no_board" | "no_marriage":
            return unplayed.not_played(event, facts, law, dropped)
        case "unplayable":
            return unplayed.not_played("impossible", facts, law, dropped)
        case "no_marriage_hidden" | "no_marriage_hidden_playable":
            refused = event == "no_marriage_hidden_playable"
            return unplayed.claim_checked(
                True, board, "no_marriage", facts, law, refused=refused, dropped=dropped
            )
        case "no_board_hidden":
            return unplayed.claim_checked(True, board, "no_board", facts, law, dropped=dropped)
        case "no_marriage_claimed":
            found = given["found"]
            unknown = set(found) - {"bidder_has_marriage", "team_meld_with_it"}
            if unknown:
                raise CaseError(f"given.found.{min(unknown)} is not understood")
            marriage, meld_found = found["bidder_has_marriage"], found["team_meld_with_it"]
            return unplayed.claim_checked(marriage, meld_found, "no_marriage", facts, law, dropped=dropped)
        case "aces" | "aces_ec":
            return scoring.aces_award(given["offender"], facts, law)
        case "renege":
            return scoring.renege_award(given["offender"], facts, law)
    raise CaseError(f"event '{event}' is not understood")


KINDS: Final[dict[str, Handler]] = {
    "meld": _meld, "play": _play, "renege": _renege, "hand_score": _hand_score,
}  # fmt: skip
