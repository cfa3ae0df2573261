"""Names of typing that Python 3.10 lacks. They are there at run time, since some libraries evaluate annotations."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self as Self, Unpack as Unpack
elif sys.version_info >= (3, 11):
    from typing import Self, Unpack
else:
    Self = Any

    class Unpack:
        """Stands in for the name; what it unpacks is not looked at."""

        def __class_getitem__(cls, options: Any) -> Any:
            return options
