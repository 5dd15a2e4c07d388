import { Volume2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { api } from '../api/client.js';
import { Button, notifyFault } from '../ui/index.js';

/** The text as a call speaks it, to be heard before it is sent: fetched when it is asked for, and played from memory. */
export function Hear({ message, language }: { message: string; language: string }) {
  const [heard, setHeard] = useState<{ of: string; source: string } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const source = heard?.source;
  useEffect(() => (source === undefined ? undefined : () => URL.revokeObjectURL(source)), [source]);
  const text = JSON.stringify([message, language]);
  const isEmpty = message.trim() === '';
  const hear = async () => {
    setBusy(true);
    try {
      const { data } = await api.POST('/v6/api/v1/voice/speech', { body: { message, language }, parseAs: 'blob' });
      setHeard({ of: text, source: URL.createObjectURL(data as unknown as Blob) });
    } catch (error) {
      notifyFault(error, 'The speech');
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div className="buttons">
        <Button
          icon={Volume2}
          busy={isBusy}
          off={isEmpty}
          title={isEmpty ? 'Write the text first' : undefined}
          onClick={() => void hear()}
        >
          Listen
        </Button>
      </div>
      {heard?.of === text && (
        <audio controls autoPlay src={heard.source} aria-label="The spoken text">
          <track kind="captions" />
        </audio>
      )}
    </>
  );
}
