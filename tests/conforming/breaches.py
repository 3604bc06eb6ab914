"""Each rule's sentence broken on purpose: the whole table."""

from __future__ import annotations

from typing import Final

from tests.conforming.breaches_of_clients import CLIENTS
from tests.conforming.breaches_of_com import COM
from tests.conforming.breaches_of_management import MANAGEMENT
from tests.conforming.breaches_of_objects import OBJECTS
from tests.conforming.breaches_of_remote_read import REMOTE_READ
from tests.conforming.breaches_of_scripts import SCRIPTS
from tests.conforming.breaches_of_servers import SERVERS
from tests.conforming.breaches_of_supported import SUPPORTED
from tests.conforming.breaches_of_supporting import SUPPORTING

BREACHES: Final = (*CLIENTS, *SERVERS, *MANAGEMENT, *REMOTE_READ, *SUPPORTED, *SUPPORTING, *SCRIPTS, *OBJECTS, *COM)
