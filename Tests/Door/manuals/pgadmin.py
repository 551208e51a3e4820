"""pgAdmin 4 in server mode."""

import shutil
import subprocess

from manual import HERE, Manual


class PgAdmin(Manual):
    def __init__(self):
        super().__init__("pgadmin", ["pgadmin4==9.18"], ["python3", "{PACKAGE}/pgAdmin4.py"], "/oauth2/authorize")

    def prepare(self, values):
        package = next(self.bin.parent.glob("lib/python3.*/site-packages/pgadmin4"))
        values |= {"PACKAGE": str(package), "PGADMIN_HOME": str(self.place),
                   "PGADMIN_SETUP_EMAIL": "setup@pier.example", "PGADMIN_SETUP_PASSWORD": "a secret of the test"}
        shutil.copy(HERE / "pgadmin_config.py", package / "config_local.py")
        subprocess.run([self.bin / "python3", package / "setup.py", "setup-db"], check=True, capture_output=True,
                       env=values)

    def log_in(self, ada, site):
        ada.reach(f"{site}/login")
        ada.press("Tenure")
        ada.log_in()
        ada.expect(ada.address)
