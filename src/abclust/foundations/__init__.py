"""What every room stands on: errors, options, random numbers, frozen configuration, the axis glossary."""
