import { useNavigate } from '@tanstack/react-router';
import { useCombobox } from 'downshift';
import { Search as SearchIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { api, type Schema } from '../api/client.js';
import { Problem, problemOf } from '../api/problem.js';
import type { Role, Search } from '../app/page-definition.js';
import { StatusBadge } from '../ui/index.js';
import './search.css';

type Hit = Schema<'SearchHit'>;

const TYPING_MS = 300;
const FEWEST = 3;
/** One search for a number runs at a time: the next one waits for it. */
const AGAIN_MS = 1_500;
const TRIES = 3;

const KINDS: Readonly<Record<Hit['kind'], string>> = {
  recipient: 'Recipient',
  campaign: 'Campaign',
  account: 'Account',
  template: 'Template',
  session_message: 'Session message',
};

/** A key that is typed into a field is no shortcut. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) ||
    document.querySelector('dialog[open]') !== null);

/** Where a hit is looked at. */
export function placeOf({ kind, id, request_id: requestId, seq }: Hit, role: Role): { to: string; search?: Search } {
  switch (kind) {
    case 'recipient':
      return { to: `/campaigns/${encodeURIComponent(requestId ?? id)}`, search: { contact: String(seq ?? '') } };
    case 'campaign':
      return { to: `/campaigns/${encodeURIComponent(id)}` };
    case 'account':
      return { to: `/accounts/${encodeURIComponent(id)}` };
    case 'template':
      return role === 'staff' ? { to: '/reviews/templates', search: { template: id } } : { to: `/templates/${id}` };
    case 'session_message':
      return { to: `/session-messages/${id}` };
  }
}

/** One box for a number, a request id, the name of an account, a campaign or a template. */
export function SearchBox({ role }: { role: Role }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const { hits, note } = useHits(text.trim(), role);
  const { isOpen, highlightedIndex, getInputProps, getMenuProps, getItemProps, getLabelProps, reset } =
    useCombobox<Hit>({
      items: [...hits],
      itemToString: () => text,
      inputValue: text,
      defaultHighlightedIndex: 0,
      onSelectedItemChange: ({ selectedItem }) => {
        if (selectedItem === null) return;
        setText('');
        reset();
        const { to, search = {} } = placeOf(selectedItem, role);
        void navigate({ to, search });
      },
    });
  const isShown = isOpen && text.trim() !== '';
  const [input, setInput] = useState<HTMLInputElement | null>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
      const isCommand = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      if (!isSlash && !isCommand) return;
      event.preventDefault();
      input?.focus();
      input?.select();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, [input]);
  return (
    <search className="search-box">
      <label className="unseen" {...getLabelProps()}>
        Search numbers, campaigns, {role === 'owner' ? '' : 'accounts, '}templates
      </label>
      <SearchIcon size={15} aria-hidden />
      <input
        {...getInputProps({ ref: setInput, onChange: (event) => setText(event.currentTarget.value) })}
        aria-keyshortcuts="/ Control+K Meta+K"
        type="search"
        placeholder="Search: number, name, page… ( / )"
        autoComplete="off"
        spellCheck={false}
      />
      <div className={isShown ? 'search-hits shown' : 'search-hits'}>
        <ul {...getMenuProps()}>
          {isShown &&
            hits.map((hit, index) => (
              <li
                key={`${hit.kind} ${hit.id} ${String(hit.seq)}`}
                className={index === highlightedIndex ? 'hit at' : 'hit'}
                {...getItemProps({ item: hit, index })}
              >
                <span className="hit-kind">{KINDS[hit.kind]}</span>
                <span className="hit-title">{hit.title}</span>
                <StatusBadge status={hit.status} />
                <span className="hit-detail">
                  {hit.detail}
                  {role !== 'owner' && hit.kind !== 'account' && ` · ${hit.username}`} · {hit.created_at.slice(0, 16)}
                </span>
              </li>
            ))}
        </ul>
        <p role="status" className="hit-note">
          {isShown ? note : ''}
        </p>
      </div>
    </search>
  );
}

/** What the API finds when the typing rests. */
function useHits(text: string, role: Role): { hits: readonly Hit[]; note: string } {
  const [found, setFound] = useState<{ of: string; hits: readonly Hit[]; note: string }>({
    of: '',
    hits: [],
    note: '',
  });
  useEffect(() => {
    if (text.length < FEWEST) return undefined;
    const stopped = new AbortController();
    const timer = setTimeout(() => {
      void ask(text, role, stopped.signal).then(
        ({ data, recipients_since: since }) =>
          setFound({
            of: text,
            hits: data,
            note:
              (data.length === 0 ? 'Nothing found. ' : '') +
              (since === null ? '' : `Campaigns before ${since.slice(0, 10)} were looked through in part only.`),
          }),
        (error: unknown) => {
          if (!stopped.signal.aborted) setFound({ of: text, hits: [], note: problemOf(error).message });
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [text, role]);
  if (text.length < FEWEST) return { hits: [], note: `Type ${String(FEWEST)} characters at least` };
  return found.of === text
    ? found
    : { hits: found.hits.filter(({ title }) => title.startsWith(text)), note: 'Searching…' };
}

async function ask(q: string, role: Role, signal: AbortSignal): Promise<Schema<'SearchResponse'>> {
  const options = { params: { query: { q } }, signal };
  for (let tried = 1; ; tried++) {
    try {
      const { data } = await (role === 'staff'
        ? api.GET('/v6/api/admin/search', options)
        : api.GET('/v6/api/search', options));
      if (data !== undefined) return data;
      throw new Problem(0, 'The API does not answer.');
    } catch (error) {
      if (signal.aborted || problemOf(error).status !== 429 || tried === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
