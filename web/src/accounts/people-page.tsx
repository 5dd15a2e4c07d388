import { useMe } from '../app/session.js';
import { Empty, Page } from '../ui/index.js';
import { NewPerson, People } from './people.js';

/** The people under the own account. */
export default function PeoplePage() {
  const { person, permissions, role } = useMe();
  const may = person === null && (role === 'super' || permissions['client_management'] === true);
  return (
    <Page
      title="People"
      about="Who else may work with this account, each with a login."
      actions={may ? <NewPerson /> : undefined}
    >
      {may ? (
        <People whose={null} />
      ) : (
        <Empty title="People are managed by the account itself">
          {person === null
            ? 'This account has no permission to manage people.'
            : 'Log in as the account, not as a person under it.'}
        </Empty>
      )}
    </Page>
  );
}
