"""The commands of `bookwatch`, one module for each subject."""
