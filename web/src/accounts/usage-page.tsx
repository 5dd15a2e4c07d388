import { Page } from '../ui/index.js';
import { Usage } from './usage.js';

/** What the own account was charged and got back. */
export default function UsagePage() {
  return (
    <Page title="Usage" about="Credits charged and refunded. Matches the ledger exactly.">
      <Usage whose={null} />
    </Page>
  );
}
