# SPDX-License-Identifier: GPL-2.0-or-later
"""run.py TEST_FILE CONTRAFLOW SOURCE_ROOT [NAME...]: runs the cases of an end-to-end test, which imports what it likes of
this folder, of bench/ and of the test's own."""
import pathlib
import sys
import types

sys.argv.pop(0)
HERE, TEST = pathlib.Path(__file__).resolve().parent, pathlib.Path(sys.argv[0]).resolve()
sys.path[:0] = [str(TEST.parent), str(HERE), str(HERE / "bench")]
import e2e  # noqa: E402

module = sys.modules["__main__"] = types.ModuleType("__main__")
module.__file__ = str(TEST)
exec(compile(TEST.read_bytes(), TEST, "exec"), module.__dict__)  # one that has a main() of its own does not come back
e2e.main()
