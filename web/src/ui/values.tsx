import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../app/session.js';
import { notify } from './toast.js';

const NONE = '–';
const counts = new Intl.NumberFormat('en');

/** `12345` → `12,345`. @param digits behind the point, at most */
export function formatCount(value: number, digits?: number): string {
  return digits === undefined
    ? counts.format(value)
    : new Intl.NumberFormat('en', { maximumFractionDigits: digits }).format(value);
}

/** `1 credit`, `2 credits` */
export const counted = (count: number, thing: string): string =>
  `${formatCount(count)} ${thing}${count === 1 ? '' : 's'}`;

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** `1572864` → `1.5 MB`: bytes in the largest unit of 1,024 that leaves at least 1. */
export function formatBytes(value: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(value, 1)) / 10), UNITS.length - 1);
  return `${formatCount(value / 1024 ** power, 1)} ${UNITS[power] ?? ''}`;
}

/** A number with its thousands apart; null is a dash. */
export function Count({ value, digits }: { value: number | null | undefined; digits?: number }) {
  return <span className="count">{value === null || value === undefined ? NONE : formatCount(value, digits)}</span>;
}

/** A share between 0 and 1 as per cent; what lies between none and all is shown as neither, however near. */
export function formatShare(value: number): string {
  const shown = value > 0 && value < 1 ? Math.min(Math.max(value, 0.001), 0.999) : value;
  return `${formatCount(shown * 100, 1)} %`;
}

/** A share between 0 and 1 as per cent; null is a dash. */
export function Share({ value }: { value: number | null | undefined }) {
  return <span className="count">{value === null || value === undefined ? NONE : formatShare(value)}</span>;
}

/** A time as the API writes it for people: in the account's time zone already (`YYYY-MM-DD HH:MM:SS`). */
const LOCAL = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)$/;

/** A moment in words of a time zone, such as `22 Nov, 14:03`; a text without a zone stays at the time that it says. */
export function formatTime(value: string | number | Date, timeZone: string, withSeconds = false): string {
  const local = typeof value === 'string' ? LOCAL.exec(value) : null;
  const moment = local === null ? new Date(value) : new Date(`${local[1] ?? ''}T${local[2] ?? ''}Z`);
  if (Number.isNaN(moment.getTime())) return String(value);
  const isThisYear = moment.getUTCFullYear() === new Date().getUTCFullYear();
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: local === null ? timeZone : 'UTC',
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(withSeconds ? { second: '2-digit' } : {}),
  }).format(moment);
}

/** The time zone of the account that works here. */
export const useTimeZone = (): string => useSession().me?.time_zone ?? 'UTC';

/** A moment in the account's time zone, with the whole of it in the title; null is a dash. */
export function Time({
  value,
  seconds = false,
}: {
  value: string | number | Date | null | undefined;
  seconds?: boolean;
}) {
  const timeZone = useTimeZone();
  if (value === null || value === undefined || value === '') return <span>{NONE}</span>;
  const iso = isoOf(value);
  return (
    <time dateTime={iso} title={`${iso} (${timeZone})`}>
      {formatTime(value, timeZone, seconds)}
    </time>
  );
}

function isoOf(value: string | number | Date): string {
  if (typeof value === 'string') return value; // with the offset that it has
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? String(value) : moment.toISOString();
}

const SPANS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A span in its two largest units: `3 h 20 min`; null is a dash. */
export function formatSpan(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return NONE;
  if (seconds < 1) return seconds <= 0 ? '0 s' : 'under 1 s';
  const at = SPANS.findIndex(([, size]) => seconds >= size);
  const [unit, size] = SPANS[at] ?? ['s', 1];
  const rest = SPANS[at + 1];
  const whole = Math.floor(seconds / size);
  const left = rest === undefined ? 0 : Math.floor((seconds - whole * size) / rest[1]);
  return left === 0 || rest === undefined ? `${whole} ${unit}` : `${whole} ${unit} ${left} ${rest[0]}`;
}

/** A text to be taken elsewhere: an id, a secret, an address. */
export function CopyText({ text, label }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    notify('Copied');
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <span className="copy">
      <code>{text}</code>
      <button type="button" className="icon" onClick={() => void copy()}>
        {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        <span className="unseen">Copy {label ?? 'the text'}</span>
      </button>
    </span>
  );
}

/** How far something is: `done` of `total`. */
export function Progress({ done, total, label }: { done: number; total: number; label: string }) {
  const percent = total === 0 ? 0 : Math.min(100, Math.floor((done / total) * 100));
  return (
    <div className="progress">
      <progress max={100} value={percent} aria-label={label} />
      <span className="count">{percent} %</span>
    </div>
  );
}

interface Maker {
  kind: 'account' | 'person' | 'key' | 'staff';
  name: string | null;
}

/** Who made a thing: a person, a key, staff, or the account itself. */
export function MadeBy({ maker }: { maker: Maker | null }) {
  if (maker === null) return '–';
  const { kind, name } = maker;
  if (kind === 'account') return name ?? 'the account';
  return name === null ? kind : `${kind} ${name}`;
}
