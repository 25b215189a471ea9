"""How the learned weights of the ear are made. Not part of the package.

``turns.tsv`` are invented turns in fourteen languages, ``talk/`` sentences that speak of what
wishes are about and are none; the wishes are those of ``learners/matters``. ``labels.tsv`` says of
real turns by their id what they are; their texts stay in the sessions that they are from.
"""
