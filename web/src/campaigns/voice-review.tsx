import type { Schema } from '../api/client.js';
import { Count, Facts } from '../ui/index.js';
import { Clip } from './clip.js';
import './campaigns.css';

type Review = Schema<'StaffCampaignAnswer'>;
type MenuRow = Schema<'ReviewMenuRowAnswer'>;

/** Everything that recipients of a voice campaign will hear, and every number that it can reach. */
export function VoiceReview({ campaign }: { campaign: Review }) {
  const { audio_url: audio, message, language, caller_id, retries, menu, recipients } = campaign;
  return (
    <div className="voice-review">
      {message !== null && <pre className="message">{message}</pre>}
      {audio !== null && <Clip address={audio} label="the recording" />}
      <Facts
        facts={[
          ['Language', language ?? (message === null ? 'an audio file' : 'not set')],
          ['Caller id', caller_id ?? 'route default'],
          ['Repeat calls', retries ?? 0],
          ['Recipients', <Count key="recipients" value={recipients} />],
        ]}
      />
      {menu === null || menu.length === 0 ? (
        <p className="muted">No keypad menu.</p>
      ) : (
        <>
          <h3>Keypad menu</h3>
          <Menu rows={menu} path="" />
        </>
      )}
    </div>
  );
}

const DOES: Readonly<Record<string, string>> = {
  transfer: 'calls',
  submenu: 'opens a menu',
  audio: 'plays',
  record: 'records the caller',
  back: 'returns to the menu before',
};

function Menu({ rows, path }: { rows: readonly MenuRow[]; path: string }) {
  return (
    <ul className="menu-tree">
      {rows.map((row) => {
        const place = `${path}${row.digit}`;
        return (
          <li key={row.digit}>
            <div className="menu-row">
              <kbd>{row.digit}</kbd>
              <span>{DOES[row.action] ?? row.action}</span>
              {row.number !== null && <strong className="number">{row.number}</strong>}
              {row.fallback_numbers.length > 0 && (
                <span>
                  if unanswered: <strong className="number">{row.fallback_numbers.join(', ')}</strong>
                </span>
              )}
              {row.clip !== null && <Clip address={row.clip} label={`the clip of key ${place}`} />}
              {row.after !== null && <span className="muted">then: {row.after}</span>}
            </div>
            {row.source !== null && (
              <p className="muted">
                fetched from <code>{row.source}</code>
              </p>
            )}
            {row.rows.length > 0 && <Menu rows={row.rows} path={`${place} `} />}
          </li>
        );
      })}
    </ul>
  );
}
