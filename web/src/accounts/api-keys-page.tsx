import { Page } from '../ui/index.js';
import { ApiKeys, NewApiKey } from './api-keys.js';

/** The own API keys. */
export default function ApiKeysPage() {
  return (
    <Page title="API keys" about="Keys let your programs use the API without a login." actions={<NewApiKey />}>
      <ApiKeys whose={null} />
    </Page>
  );
}
