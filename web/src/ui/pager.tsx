import { useAddress } from './address.js';
import { Button } from './button.js';
import { formatCount } from './values.js';

/** What stands below a list of the API. */
export interface PageFoot {
  total?: number;
  total_is_capped?: boolean;
  next_cursor?: string | null;
}

/** How many there are, and the way through them. Each page is a step of the browser's history. */
export function Pager({ foot, shown, isBusy }: { foot: PageFoot; shown: number; isBusy: boolean }) {
  const [{ cursor }, change] = useAddress();
  const { total, total_is_capped: isCapped = false, next_cursor: next = null } = foot;
  const isFirst = (cursor ?? '') === '';
  if (isFirst && next === null && shown === 0) return null;
  return (
    <nav className="pager" aria-label="Pages of the list">
      <span className="muted" role="status">
        {total === undefined
          ? `${formatCount(shown)} shown`
          : `${formatCount(shown)} of ${isCapped ? 'more than ' : ''}${formatCount(total)}`}
      </span>
      {(!isFirst || next !== null) && (
        <span className="buttons">
          <Button off={isFirst} onClick={() => change({ cursor: undefined }, { push: true })}>
            First page
          </Button>
          <Button off={isFirst} onClick={() => history.back()}>
            Previous
          </Button>
          <Button
            off={next === null}
            busy={isBusy && next === null}
            onClick={() => change({ cursor: next ?? undefined }, { push: true })}
          >
            Next
          </Button>
        </span>
      )}
    </nav>
  );
}
