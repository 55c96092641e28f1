"""The dashboard: players' table screen, the director's pages, a JSON API, live streams."""
