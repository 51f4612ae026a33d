"""Files: written beside and renamed, tensors with a JSON header, no pickle."""
