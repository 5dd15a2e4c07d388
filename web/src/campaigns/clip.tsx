import { Play } from 'lucide-react';
import { useEffect, useState } from 'react';
import { fetchBlob } from '../api/client.js';
import { BASE } from '../app/base.js';
import { Button, notifyFault } from '../ui/index.js';

/** Where we keep it, below the API; null for an address of another host, which the page may not ask. */
function pathOf(address: string): string | null {
  const { pathname } = new URL(address, location.origin);
  const path = pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) : pathname;
  return /^(\/c\/[^/]+)?\/audio\//.test(path) ? path.replace(/^\/c\/[^/]+/, '') : null;
}

/** Audio that is fetched when it is asked for, and played from memory: the policy of the page lets no other host in. */
export function Clip({ address, label }: { address: string; label: string }) {
  const [source, setSource] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => (source === null ? undefined : () => URL.revokeObjectURL(source)), [source]);
  const path = pathOf(address);
  if (path === null) return <code>{address}</code>;
  const load = async () => {
    setBusy(true);
    try {
      setSource(URL.createObjectURL(await fetchBlob(path)));
    } catch (error) {
      notifyFault(error);
    } finally {
      setBusy(false);
    }
  };
  if (source === null) {
    return (
      <Button icon={Play} busy={isBusy} onClick={() => void load()} aria-label={`Play ${label}`}>
        Play
      </Button>
    );
  }
  return (
    <audio controls autoPlay src={source} aria-label={label}>
      <track kind="captions" />
    </audio>
  );
}
