import { Page } from '../ui/index.js';
import { StopList } from './stop-list.js';

/** The own stop list. */
export default function StopListPage() {
  return (
    <Page title="Stop list" about="Numbers that you never send to, on any channel.">
      <StopList whose={null} />
    </Page>
  );
}
