import { useAddress } from './address.js';
import { Button } from './button.js';
import { formatCount } from './values.js';

/** What stands below a list of the API. */
export interface PageFoot {
  total?: number;
  total_is_capped?: boolean;
  next_cursor?: string | null;
}

/** No cursor has it in it. */
const BETWEEN = '.';

/**
 * How many there are, and the way through them. A cursor leads on, never back: so the address keeps those of the pages
 * between the first one and this, and Previous works after a reload and from a link.
 */
export function Pager({
  foot,
  shown,
  isBusy,
  label = 'the list',
}: {
  foot: PageFoot;
  shown: number;
  isBusy: boolean;
  label?: string;
}) {
  const [{ cursor = '', passed = '' }, change] = useAddress();
  const { total, total_is_capped: isCapped = false, next_cursor: next = null } = foot;
  const isFirst = cursor === '';
  const former = isFirst || passed === '' ? [] : passed.split(BETWEEN);
  if (isFirst && next === null && shown === 0) return null;
  const go = (to: string | undefined, through: readonly string[]) =>
    change({ cursor: to, passed: through.length === 0 ? undefined : through.join(BETWEEN) }, { push: true });
  return (
    <nav className="pager" aria-label={`Pages of ${label}`}>
      <span className="muted" role="status">
        {total === undefined
          ? `${formatCount(shown)} shown`
          : `${formatCount(shown)} of ${isCapped ? 'more than ' : ''}${formatCount(total)}`}
      </span>
      {(!isFirst || next !== null) && (
        <span className="buttons">
          <Button off={isFirst} onClick={() => go(undefined, [])}>
            First page
          </Button>
          <Button off={isFirst} onClick={() => go(former.at(-1), former.slice(0, -1))}>
            Previous
          </Button>
          <Button
            off={next === null}
            busy={isBusy && next === null}
            onClick={() => go(next ?? undefined, isFirst ? [] : [...former, cursor])}
          >
            Next
          </Button>
        </span>
      )}
    </nav>
  );
}
