import { Page } from '../ui/index.js';
import { StopList } from './stop-list.js';

/** The own stop list. */
export default function StopListPage() {
  return (
    <Page title="Stop list" about="Numbers to which none of your campaigns sends, on any channel.">
      <StopList whose={null} />
    </Page>
  );
}
