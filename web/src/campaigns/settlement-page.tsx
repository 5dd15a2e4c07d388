import { useEffect, useState } from 'react';
import {
  linesOf,
  type PublishedKey,
  type Verdict,
  verifyBundle,
  verifyProof,
} from '../../../packages/verify/src/index.js';
import { $api } from '../api/client.js';
import { Count, Facts, FileField, LoadState, Page, Section } from '../ui/index.js';

/** Checks a bundle or a proof in the browser: the file goes nowhere. */
export default function SettlementPage() {
  const query = $api.useQuery('get', '/.well-known/switchboard-settlement-keys');
  return (
    <Page
      title="Check a settlement"
      about="Whether the file of a settlement, or the proof of a recipient, is as it was signed. It is checked in this browser and sent nowhere."
    >
      <LoadState query={query}>{({ keys }) => <Check keys={keys} />}</LoadState>
    </Page>
  );
}

interface Checked {
  name: string;
  verdict: Verdict;
}

function Check({ keys }: { keys: readonly PublishedKey[] }) {
  const [checked, setChecked] = useState<Checked | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const check = async (file: File) => {
    setBusy(file.name);
    setChecked(null);
    try {
      setChecked({ name: file.name, verdict: await verdictOf(file, keys) });
    } finally {
      setBusy(null);
    }
  };
  useDrop((file) => void check(file));
  return (
    <Section title="File">
      <div className="form">
        <FileField
          label="Bundle or proof"
          accept=".ndjson,.json"
          hint="Choose the file, or drop it on this page. The bundle is on the page of a campaign, and at settlement?format=bundle of the API."
          onFile={(file) => {
            if (file) void check(file);
          }}
        />
      </div>
      <div role="status">
        {busy !== null && <p>Checking {busy} …</p>}
        {checked && <Outcome {...checked} />}
      </div>
    </Section>
  );
}

/** A file that is dropped anywhere on the page. */
function useDrop(onFile: (file: File) => void) {
  useEffect(() => {
    const allow = (event: DragEvent) => {
      event.preventDefault();
    };
    const take = (event: DragEvent) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) onFile(file);
    };
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', take);
    return () => {
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', take);
    };
  });
}

function Outcome({ name, verdict }: Checked) {
  if (!verdict.ok) {
    return (
      <p className="fault">
        <strong>{name} is wrong.</strong> {verdict.problem}
      </p>
    );
  }
  const { statement } = verdict;
  if (!statement) return <p>{name} is good.</p>;
  const { totals } = statement;
  return (
    <>
      <p>
        <strong>{name} is good:</strong> signed by this house, and nothing was changed.
      </p>
      <Facts
        facts={[
          ['Account', statement.account],
          ['Settlement', <Count key="number" value={statement.number} />],
          ['Campaign', statement.request_id],
          ['Recipients', <Count key="recipients" value={totals.recipients} />],
          ['Charged', <Count key="charged" value={totals.charged} />],
          ['Refunded', <Count key="refunded" value={totals.refunded} />],
          ['Restored', statement.restored_at],
        ]}
      />
    </>
  );
}

const START = '{"bundle":';
const NOT_READ: Verdict = { ok: false, problem: 'The file is neither a bundle nor a proof.' };

async function verdictOf(file: File, keys: readonly PublishedKey[]): Promise<Verdict> {
  if ((await file.slice(0, START.length).text()) === START) return verifyBundle(linesOf(pieces(file)), { keys });
  try {
    const read = JSON.parse(await file.text()) as { data: Parameters<typeof verifyProof>[0] };
    return await verifyProof(read.data, { keys });
  } catch {
    return NOT_READ;
  }
}

/** Not every browser can go through a stream by itself. */
async function* pieces(file: File): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = file.stream().getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}
