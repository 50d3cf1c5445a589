"""Installs the MIME type into a temporary folder and checks what it says of sample files."""
import os
import pathlib
import subprocess
import sys
import tempfile

TYPE = 'application/x-gfxtrace'
SAMPLES = {
    # by name
    'unknown.gfxtrace': (bytes(range(128, 192)), TYPE),
    # by content alone
    'skippable': (bytes.fromhex('502a4d18') + b'\x20\0\0\0VITRINE\0\x01' + b'\0' * 31, TYPE),
    'skippable-of-another-number': (bytes.fromhex('5e2a4d18') + b'\x20\0\0\0VITRINE\0\x01', TYPE),
    'proto-pack': (b'ProtoPack\r\n2.0\n\0' + b'\0' * 32, TYPE),
    # and what must not be taken for one
    'zstd-of-others': (bytes.fromhex('502a4d18') + b'\x08\0\0\0SOMEBODY', None),
    'vitrine-elsewhere': (b'VITRINE\0' * 4, None),
    'proto-pack-one': (b'ProtoPack\r\n1.0\n\0', None),
}


def content_type(path, env):
    out = subprocess.run(['gio', 'info', '-a', 'standard::content-type', path], env=env, check=True,
                         capture_output=True, text=True).stdout
    for line in out.splitlines():
        if 'standard::content-type:' in line:
            return line.split(':', 3)[-1].strip()
    return None


def main():
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / 'share'
        packages = data / 'mime' / 'packages'
        packages.mkdir(parents=True)
        (packages / 'vitrine.xml').write_bytes(pathlib.Path(sys.argv[1]).read_bytes())
        subprocess.run(['update-mime-database', str(data / 'mime')], check=True)

        env = dict(os.environ, XDG_DATA_HOME=str(data), XDG_DATA_DIRS='/usr/share', GIO_USE_VFS='local')
        failed = 0
        for name, (content, expected) in SAMPLES.items():
            path = pathlib.Path(folder) / name
            path.write_bytes(content)
            found = content_type(str(path), env)
            good = found == expected if expected else found != TYPE
            print(f'{"ok" if good else "FAILED"} {name}: {found}')
            failed += not good
        return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
