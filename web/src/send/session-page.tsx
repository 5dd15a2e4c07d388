import { useRef } from 'react';
import { api } from '../api/client.js';
import { useMe } from '../app/session.js';
import { Form, notify, Page, Section, SelectField, TextArea, TextField, useServerForm } from '../ui/index.js';
import { newKey, readNumber } from './submit.js';

const TYPES = [
  ['text', 'Text'],
  ['image', 'Image'],
  ['video', 'Video'],
  ['audio', 'Audio'],
  ['document', 'Document'],
  ['interactive', 'Reply buttons'],
  ['location', 'Location'],
] as const;

type TypeName = (typeof TYPES)[number][0];

interface Values {
  to: string;
  type: TypeName;
  text: string;
  link: string;
  buttons: string;
  latitude: string;
  longitude: string;
}

const MOST_BUTTONS = 3;

/** What the type's object holds. */
function contentOf({ type, text, link, buttons, latitude, longitude }: Values): object {
  if (type === 'text') return { text: { body: text } };
  if (type === 'location') return { location: { latitude, longitude, ...(text !== '' && { name: text }) } };
  if (type === 'interactive') {
    const titles = buttons
      .split('\n')
      .map((title) => title.trim())
      .filter((title) => title !== '')
      .slice(0, MOST_BUTTONS);
    const action = {
      buttons: titles.map((title, at) => ({ type: 'reply', reply: { id: `reply_${String(at + 1)}`, title } })),
    };
    return { interactive: { type: 'button', body: { text }, action } };
  }
  return { [type]: { link, ...(text !== '' && type !== 'audio' && { caption: text }) } };
}

/** The beginning of the id of a contact that shows no number. */
const USER_ID = /^\s*[A-Za-z]{2}\./;

/** A message to one contact, within 24 hours of what the contact has written last. */
export default function SessionPage() {
  const { username } = useMe();
  const form = useServerForm<Values>({
    to: '',
    type: 'text',
    text: '',
    link: '',
    buttons: '',
    latitude: '',
    longitude: '',
  });
  const type = form.watch('type');
  const isMedia = type !== 'text' && type !== 'interactive' && type !== 'location';
  // One key for one text: again after a lost answer is the same message.
  const key = useRef({ of: '', key: '' });
  const send = async (values: Values) => {
    const to = USER_ID.test(values.to) ? values.to : await readNumber('to', values.to);
    const body = { messaging_product: 'chat', to, type: values.type, ...contentOf(values) };
    const text = JSON.stringify(body);
    if (key.current.of !== text) key.current = { of: text, key: newKey() };
    await api.POST('/v6/api/chat/24/{username}/messages', {
      params: { path: { username } },
      body: body as never,
      headers: { 'Idempotency-Key': key.current.key },
    } as never);
    key.current = { of: '', key: '' };
    notify('Sent');
    form.reset({ ...values, text: '', link: '' });
  };
  return (
    <Page
      title="Session message"
      about="To one contact, free of charge, within 24 hours of the contact’s last message."
    >
      <Section title="Message">
        <Form form={form} onSubmit={send} submitLabel="Send">
          <TextField
            type="tel"
            label="To"
            hint="With the country code, or the contact’s user id."
            error={form.errorOf('to')}
            {...form.register('to', { required: true })}
          />
          <SelectField label="Kind" options={TYPES} {...form.register('type')} />
          {isMedia && (
            <TextField
              type="url"
              label="Address of the file"
              error={form.errorOf('link')}
              {...form.register('link', { required: isMedia })}
            />
          )}
          {type === 'location' && (
            <>
              <TextField
                label="Latitude"
                error={form.errorOf('latitude')}
                {...form.register('latitude', { required: true })}
              />
              <TextField
                label="Longitude"
                error={form.errorOf('longitude')}
                {...form.register('longitude', { required: true })}
              />
            </>
          )}
          {type !== 'audio' && (
            <TextArea
              label={
                type === 'text' || type === 'interactive'
                  ? 'Text'
                  : type === 'location'
                    ? 'Name of the place'
                    : 'Caption'
              }
              error={form.errorOf('text')}
              {...form.register('text', { required: type === 'text' || type === 'interactive' })}
            />
          )}
          {type === 'interactive' && (
            <TextArea
              label="Buttons"
              rows={3}
              hint="One per line, at most three, 20 characters each."
              error={form.errorOf('buttons')}
              {...form.register('buttons', { required: true })}
            />
          )}
        </Form>
      </Section>
    </Page>
  );
}
