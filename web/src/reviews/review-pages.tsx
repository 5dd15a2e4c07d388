import { Button, formatCount, useAddress } from '../ui/index.js';

interface Foot {
  total?: number;
  next_cursor?: string | null;
}

/** How many wait, and the way to the next ones. */
export function ReviewPages({ foot: { total = 0, next_cursor: next = null }, shown }: { foot: Foot; shown: number }) {
  const [address, change] = useAddress();
  const isFirst = (address['cursor'] ?? '') === '';
  if (isFirst && shown === 0) return null;
  return (
    <nav className="pager" aria-label="Pages of the list">
      <span className="muted" role="status">
        {formatCount(shown)} of {formatCount(total)}
      </span>
      <span className="buttons">
        {!isFirst && <Button onClick={() => change({ cursor: undefined }, { push: true })}>First page</Button>}
        {next !== null && <Button onClick={() => change({ cursor: next }, { push: true })}>Next</Button>}
      </span>
    </nav>
  );
}
