import { Page } from '../ui/index.js';
import { Usage } from './usage.js';

/** What the own account was charged and got back. */
export default function UsagePage() {
  return (
    <Page title="Usage" about="What was charged and given back; equal to the ledger, to the credit.">
      <Usage whose={null} />
    </Page>
  );
}
