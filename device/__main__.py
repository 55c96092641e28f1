"""`python -m device`: the same as `bookwatch`."""

from device.cli import main

main(prog_name="bookwatch")
