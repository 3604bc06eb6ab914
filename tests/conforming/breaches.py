"""Each rule's sentence broken on purpose: the whole table, and what is not in it."""

from __future__ import annotations

from typing import Final

from tests.conforming import breaches_of_remote_read as remote_read
from tests.conforming import breaches_of_supporting as supporting
from tests.conforming.breaches_of_clients import CLIENTS
from tests.conforming.breaches_of_management import MANAGEMENT
from tests.conforming.breaches_of_servers import SERVERS

BREACHES: Final = (*CLIENTS, *SERVERS, *MANAGEMENT, *remote_read.REMOTE_READ, *supporting.SUPPORTING)
NOT_PLANTED: Final = {
    "mqqp-no-end-after-failure": "ending a failed start or a peek takes a handle that no conforming server gives",
    "mqmr-ndr-only": "the client's runtime would have to choose it",
    **remote_read.NOT_PLANTED,
    **supporting.NOT_PLANTED,
}
