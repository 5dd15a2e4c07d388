import type { ErrorComponentProps } from '@tanstack/react-router';
import { problemOf } from '../api/problem.js';
import { Button } from '../ui/button.js';
import { Link } from '../ui/link.js';
import { Page } from '../ui/page.js';

/** A page whose own code failed, or could not be loaded. */
export function FailedPage({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page failed">
      <div className="empty">
        <p>{problemOf(error).message}</p>
        <Button
          onClick={() => {
            reset();
            location.reload();
          }}
        >
          Try again
        </Button>
      </div>
    </Page>
  );
}

/** An address that is none, or none of this account's. */
export function UnknownPage() {
  return (
    <Page title="No such page">
      <div className="empty">
        <p>This page does not exist, or your account cannot see it.</p>
        <p>
          <Link to="/">Go to the start page</Link>
        </p>
      </div>
    </Page>
  );
}
