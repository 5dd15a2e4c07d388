import { $api, LIVE } from '../api/client.js';
import { LoadState, Page } from '../ui/index.js';
import { GuardView } from './guard.js';

/** What the own account may send to, and how much today. */
export default function LimitsPage() {
  const query = $api.useQuery('get', '/v6/api/account/limits', {}, LIVE);
  return (
    <Page title="Limits" about="What you may send to, and what is left of it today. Ask staff for more.">
      <LoadState query={query}>{({ data }) => <GuardView guard={data} />}</LoadState>
    </Page>
  );
}
