import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, type Schema } from '../api/client.js';
import { problemOf } from '../api/problem.js';
import { useMe } from '../app/session.js';
import {
  Button,
  CopyText,
  Empty,
  FileField,
  Form,
  LoadState,
  notify,
  Page,
  Section,
  SelectField,
  TextArea,
  TextField,
  useAddress,
  useServerForm,
} from '../ui/index.js';

type Profile = Schema<'BusinessProfileView'>;
type Channel = 'official' | 'branded';

/** The live business profile of the account's chat connection. */
export default function BusinessProfilePage() {
  const [address, change] = useAddress();
  const channel: Channel = address['channel'] === 'branded' ? 'branded' : 'official';
  // Staff and resellers seldom have a connection of their own: the provider is asked when they want it.
  const { pages } = useMe();
  const [isAsked, setAsked] = useState(pages === 'owner');
  const query = $api.useQuery(
    'get',
    '/v6/api/account/business-profile',
    { params: { query: { channel } } as never },
    { enabled: isAsked },
  );
  return (
    <Page title="Business profile" about="Your profile as contacts see it in chat.">
      <SelectField
        label="Connection"
        options={[
          ['official', 'Official'],
          ['branded', 'Branded'],
        ]}
        value={channel}
        onChange={(event) => change({ channel: event.currentTarget.value })}
      />
      {!isAsked && (
        <div className="buttons">
          <Button onClick={() => setAsked(true)}>Show the profile</Button>
        </div>
      )}
      {isAsked && problemOf(query.error).status === 404 && (
        <Empty title="No chat account is connected">The operator connects one for your account.</Empty>
      )}
      {isAsked && problemOf(query.error).status !== 404 && (
        <LoadState query={query}>
          {({ data }) => (
            <>
              <ProfileForm key={JSON.stringify(data)} profile={data} channel={channel} />
              <Photo address={data.profile_picture_url} channel={channel} />
            </>
          )}
        </LoadState>
      )}
    </Page>
  );
}

interface Values {
  about: string;
  address: string;
  description: string;
  email: string;
  vertical: string;
  websites: string;
}

function ProfileForm({ profile, channel }: { profile: Profile; channel: Channel }) {
  const client = useQueryClient();
  const form = useServerForm<Values>({
    about: profile.about,
    address: profile.address,
    description: profile.description,
    email: profile.email,
    vertical: profile.vertical,
    websites: profile.websites.join('\n'),
  });
  const save = async ({ websites, ...values }: Values) => {
    const body = {
      ...values,
      channel,
      websites: websites
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    };
    await api.PUT('/v6/api/account/business-profile', { body });
    await client.invalidateQueries();
    notify('Saved');
  };
  return (
    <Section title="Profile">
      <Form needs="manage" form={form} onSubmit={save} submitLabel="Save">
        <TextField label="About" error={form.errorOf('about')} {...form.register('about')} />
        <TextArea label="Description" error={form.errorOf('description')} {...form.register('description')} />
        <TextField label="Address" error={form.errorOf('address')} {...form.register('address')} />
        <TextField type="email" label="E-mail" error={form.errorOf('email')} {...form.register('email')} />
        <TextField label="Industry" error={form.errorOf('vertical')} {...form.register('vertical')} />
        <TextArea
          label="Websites"
          rows={2}
          hint="One per line."
          error={form.errorOf('websites')}
          {...form.register('websites')}
        />
      </Form>
    </Section>
  );
}

function Photo({ address, channel }: { address: string; channel: Channel }) {
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setFault(null);
    try {
      await api.POST('/v6/api/account/business-profile/photo', {
        body: file,
        bodySerializer: (photo: unknown) => {
          const form = new FormData();
          form.append('channel', channel);
          form.append('file', photo as File);
          return form;
        },
      } as never);
      await client.invalidateQueries();
      notify('The photo was changed');
    } catch (error) {
      setFault(problemOf(error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Section title="Photo">
      {address === '' ? (
        <p className="muted">No photo yet.</p>
      ) : (
        <CopyText text={address} label="the address of the photo" />
      )}
      <FileField label="New photo" accept="image/jpeg,image/png" hint="JPEG or PNG, 5 MB at most." onFile={setFile} />
      <div role="alert">{fault !== null && <p className="fault">{fault}</p>}</div>
      <div className="buttons">
        <Button needs="manage" off={file === null} busy={isBusy} onClick={() => void save()}>
          Change the photo
        </Button>
      </div>
    </Section>
  );
}
