"""The tables of the documents, each made by the code that knows what it says."""
