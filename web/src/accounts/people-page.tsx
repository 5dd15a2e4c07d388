import { useMe } from '../app/session.js';
import { Empty, Page } from '../ui/index.js';
import { Invite } from './invitations.js';
import { NewPerson, People } from './people.js';

/** The people under the own account. */
export default function PeoplePage() {
  const { permissions, role } = useMe();
  const may = role === 'super' || permissions['client_management'] === true;
  return (
    <Page
      title="People"
      about="Who else may work with this account, each with a login."
      actions={
        may ? (
          <>
            <NewPerson />
            <Invite whose={null} />
          </>
        ) : undefined
      }
    >
      {may ? (
        <People whose={null} />
      ) : (
        <Empty title="This account has no permission to manage people">Ask the operator for it.</Empty>
      )}
    </Page>
  );
}
