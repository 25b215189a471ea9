"""Every bound in one place, with its unit in its name. Reaching one is reported, never silent."""

# Reading
LINE_BYTES = 32 * 1024 * 1024  # one record of a transcript; a longer one is skipped and counted
TURN_CHARS = 200_000  # of one human turn; the rest of a longer paste is left out and counted
READ_CHARS = TURN_CHARS + 16_384  # of it are redacted, so that no secret is cut in two
PREVIOUS_CHARS = 2_000  # of the agent's words kept in hand as context for the next human turn

HEAD_BYTES = 1024 * 1024  # of a transcript's start: tells its format and the facts of its session
DOCUMENT_BYTES = 64 * 1024 * 1024  # a session in one JSON document; a larger one is skipped
PART_BYTES = 4 * 1024 * 1024  # of a message that is kept in parts; a longer one is skipped
ARCHIVE_BYTES = 8 * 1024**3  # of lists of chats in one archive, unpacked; it is read in a stream
UNPACKED_BYTES = 2 * 1024**3  # of one packed log; the rest is left out
FOLDER_LIST_BYTES = 1024 * 1024  # an agent's list of project folders; a longer one names none
DATABASE_COPY_BYTES = 1024 * 1024 * 1024  # of an agent's database that cannot be read in place
COMMAND_FILES = 500  # of one folder, looked through for what a person called
FOREIGN_BUSY_SECONDS = 1.0  # an agent's own lock is waited for
GIT_SECONDS = 60  # for one answer of git, about what is kept in a repository
QUEUE_RECORDS = 500  # a queued message whose fate is unknown for longer counts as sent

# Recording
EVENT_BYTES = 1024 * 1024  # one event that an agent reports; a longer one is refused
RECORD_BYTES = 1024 * 1024 * 1024  # of events in one run; what comes after is refused
RECORDED_BYTES = 64 * 1024 * 1024  # kept of one session
HELD_EVENTS = 10_000  # in memory at most, where nothing is kept of them on disk
HELD_BYTES = 16 * 1024 * 1024
REFUSED_LISTED = 100  # events that were refused and are named, each with its number

# Evidence
QUOTE_CHARS = 1_000
EVIDENCE_DAYS = 30
SCHEDULED = (5, 15)  # conversations that hold one turn of so many words, each word the same
EVIDENCE_ROWS = 500  # per project; the oldest are dropped, and the report says so

# Candidates and proposals
CANDIDATES = 5  # per dream and project
WAITING = 100  # pending proposals per project
KEPT = 200  # proposals kept per project
JOINED = 100  # projects that one other takes in
LISTED = 50  # newest first, in lists for machines
MEMORY_CHARS = 500
NAME_CHARS = (2, 64)
DESCRIPTION_CHARS = 1_024
BODY_CHARS = 20_000
WORKFLOW_BYTES = 64 * 1024
WORKFLOW_TASKS = 20
EVIDENCE_SHOWN = 20  # quotes carried by one proposal
CANDIDATE_FILE_BYTES = 1024 * 1024

# Influence
CONTEXT_CHARS = 9_000  # agents cut injected context at 10,000

# A person's own files
CONFIG_BYTES = 64 * 1024
INSTRUCTION_FILES = 60  # of one project, looked through for what is known already
INSTRUCTION_BYTES = 256 * 1024  # of each of them
INSTRUCTION_LINES = 4_000
GIT_FILE_BYTES = 256 * 1024
FOLDER_CHARS = 4_096  # of the path of a recorded folder; a longer one names none
WORKTREES = 1_000  # of one repository, looked through for a lost folder
FILE_BYTES = 16 * 1024 * 1024  # a larger file is neither written nor edited
FOLDER_DEPTH = 64  # below a project

# Machine
BUSY_SECONDS = 5.0
APPEND_TRIES = 8
