import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, type Schema } from '../api/client.js';
import { Button, notifyFault, SelectField, TextField } from '../ui/index.js';
import type { Draft } from './draft.js';
import { ACTIONS, DEEPEST, KEYS, type MenuRow, newRow, rowsOf } from './menu.js';

/** The keypad menu of a call as a tree, and a walk through it. */
export function MenuEditor({ draft, set }: { draft: Draft; set: (fields: Partial<Draft>) => void }) {
  return (
    <div role="group" aria-label="Keypad menu" className="menu-rows">
      <Rows rows={draft.menu} depth={1} at="menu" onChange={(menu) => set({ menu })} />
      {draft.menu.length > 0 && <Walk draft={draft} />}
    </div>
  );
}

interface RowsProperties {
  rows: readonly MenuRow[];
  depth: number;
  /** names the menu for readers: the keys that lead to it */
  at: string;
  onChange: (rows: readonly MenuRow[]) => void;
}

function Rows({ rows, depth, at, onChange }: RowsProperties) {
  const replace = (key: string, fields: Partial<MenuRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...fields } : row)));
  return (
    <>
      <ul className="menu-rows">
        {rows.map((row) => (
          <li key={row.key} className="menu-row">
            <Row row={row} depth={depth} at={at} change={(fields) => replace(row.key, fields)} />
            <div className="buttons">
              <Button icon={Trash2} onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}>
                Remove key {row.digit}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      <div className="buttons">
        <Button icon={Plus} off={rows.length >= KEYS.length} onClick={() => onChange([...rows, newRow(rows)])}>
          {depth === 1 ? 'Add a key to the menu' : `Add a key to the menu behind ${at}`}
        </Button>
      </div>
    </>
  );
}

function Row({
  row,
  depth,
  at,
  change,
}: {
  row: MenuRow;
  depth: number;
  at: string;
  change: (fields: Partial<MenuRow>) => void;
}) {
  const actions = ACTIONS.filter(([name]) => (name !== 'back' || depth > 1) && (name !== 'submenu' || depth < DEEPEST));
  const field = (name: 'number' | 'fallbacks' | 'clip' | 'prompt', label: string, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      value={row[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <div className="pair">
        <SelectField
          label="Key"
          options={KEYS.map((key) => [key, key] as const)}
          value={row.digit}
          onChange={(event) => change({ digit: event.currentTarget.value })}
        />
        <SelectField
          label="What it does"
          options={actions}
          value={row.action}
          onChange={(event) => change({ action: event.currentTarget.value as MenuRow['action'] })}
        />
      </div>
      {row.action === 'transfer' && (
        <>
          {field('number', 'Number')}
          {field('fallbacks', 'Fallback numbers if unanswered', 'Three at most, tried in this order.')}
        </>
      )}
      {row.action === 'audio' && (
        <>
          {field('clip', 'Address of the clip')}
          <SelectField
            label="Afterwards"
            options={[
              ['hangup', 'Hang up'],
              ['repeat', 'Present this menu again'],
              ['back', 'Go back to the menu above'],
            ]}
            value={row.after}
            onChange={(event) => change({ after: event.currentTarget.value as MenuRow['after'] })}
          />
        </>
      )}
      {row.action === 'submenu' && (
        <>
          {field('prompt', 'Address of the clip that presents it')}
          <Rows rows={row.rows} depth={depth + 1} at={`${at} ${row.digit}`} onChange={(rows) => change({ rows })} />
        </>
      )}
    </>
  );
}

const DOES: Readonly<Record<string, string>> = {
  menu: 'hears the menu',
  play: 'hears',
  dial: 'is forwarded to',
  record: 'is recorded',
};

function Walk({ draft }: { draft: Draft }) {
  const [keys, setKeys] = useState('');
  const [walked, setWalked] = useState<Schema<'SimulationView'> | null>(null);
  const [isBusy, setBusy] = useState(false);
  const walk = async () => {
    setBusy(true);
    try {
      const body = {
        message: draft.message,
        audio_url: draft.audioUrl,
        dtmf_flow: { rows: rowsOf(draft.menu) },
        digits: keys,
      };
      const { data } = await api.POST('/v6/api/v1/voice/simulate', { body: body as never });
      setWalked(data?.data ?? null);
    } catch (error) {
      setWalked(null);
      notifyFault(error, 'The menu');
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="menu-row">
      <TextField
        label="Test the menu: keys pressed"
        hint="Such as 12. Leave empty for no key. No call is made."
        value={keys}
        onChange={(event) => setKeys(event.currentTarget.value)}
      />
      <div className="buttons">
        <Button busy={isBusy} onClick={() => void walk()}>
          Simulate
        </Button>
      </div>
      {walked !== null && (
        <ol aria-label="Result">
          {walked.steps.map(({ does, hears, pressed, number, outcome }, step) => (
            <li key={step}>
              {DOES[does] ?? does} {hears ?? number ?? ''}
              {pressed !== null && (pressed === '' ? ', presses nothing' : `, presses ${pressed}`)}
              {outcome !== null && `: ${outcome.replaceAll('_', ' ')}`}
            </li>
          ))}
          <li>
            The call ends: {walked.ended.reason.replaceAll('_', ' ')} ({walked.ended.at})
          </li>
        </ol>
      )}
    </div>
  );
}
