"""A simulated pinochle table: decks drawn from a seed, hands played and rendered with their exact record.

    from vision.simulator.table import SimulatedTable
    for frame in SimulatedTable(7, condition="sloppy", reneges=("FOLLOW",), corrections=1):
        ...                                        # vision.types.Frame, at 15 frames a second

`playing` decides what happens, `choreography` when and where (`play_hand(seed)`), `painter` draws it.
"""
