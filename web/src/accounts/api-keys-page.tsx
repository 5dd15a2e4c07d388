import { useMe } from '../app/session.js';
import { Empty, Page } from '../ui/index.js';
import { ApiKeys, NewApiKey } from './api-keys.js';

/** The own API keys; people under an account have none. */
export default function ApiKeysPage() {
  const isPerson = useMe().person !== null;
  return (
    <Page
      title="API keys"
      about="With a key, programs send without a login."
      actions={isPerson ? undefined : <NewApiKey />}
    >
      {isPerson ? (
        <Empty title="Only the account itself sees its keys">Log in as the account, not as a person under it.</Empty>
      ) : (
        <ApiKeys whose={null} />
      )}
    </Page>
  );
}
