import { $api } from '../api/client.js';
import { momentIn, momentWords, Section, SelectField, TextField, useTimeZone } from '../ui/index.js';
import { scheduleFault } from './draft.js';
import type { PartProperties } from './write-part.js';

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => [String(from + at), String(from + at)] as const);

/** Who it comes from, when it leaves, and what else a channel knows. */
export function OptionsPart({ channel, draft, set }: PartProperties) {
  const zone = useTimeZone();
  const at = momentIn(draft.schedule, zone);
  const fault = scheduleFault(draft, zone);
  const whenHint =
    at === null || fault !== null ? `In the time zone ${zone}. Leave empty to send now.` : momentWords(at, zone);
  const field = (
    name: 'dltTemplateId' | 'validity' | 'schedule' | 'lateAfter',
    label: string,
    hint?: string,
    type = 'text',
    error?: string | null,
  ) => (
    <TextField
      type={type}
      label={label}
      hint={hint}
      error={error ?? undefined}
      value={draft[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <Section title="3. Options">
      {(channel === 'sms' || channel === 'voice') && <SenderField channel={channel} draft={draft} set={set} />}
      {channel === 'sms' && (
        <div className="pair">
          {field('dltTemplateId', 'DLT template id', 'Required in some countries, such as India.')}
          {field('validity', 'Valid for, seconds', '60 to 259,200. Messages not sent by then are refunded.', 'number')}
        </div>
      )}
      {channel === 'voice' && (
        <div className="pair">
          <SelectField
            label="Billing block"
            options={[
              ['15', '15 seconds'],
              ['30', '30 seconds'],
            ]}
            value={draft.plan}
            onChange={(event) => set({ plan: event.currentTarget.value })}
          />
          <SelectField
            label="Repeat calls if unanswered"
            options={numbers(0, 5)}
            value={draft.retries}
            onChange={(event) => set({ retries: event.currentTarget.value })}
          />
          <SelectField
            label="Seconds between two calls"
            options={['5', '10', '30', '60', '180', '300'].map((value) => [value, value] as const)}
            value={draft.retryInterval}
            onChange={(event) => set({ retryInterval: event.currentTarget.value })}
          />
        </div>
      )}
      {field('schedule', 'Send at', whenHint, 'datetime-local', fault)}
      {draft.schedule !== '' && (
        <>
          <SelectField
            label="If it starts late"
            options={[
              ['send', 'Send anyway'],
              ['expire', 'Cancel and refund it'],
              ['hold', 'Pause it until I resume it'],
            ]}
            value={draft.late}
            onChange={(event) => set({ late: event.currentTarget.value })}
          />
          {draft.late !== 'send' && field('lateAfter', 'Late after, seconds', '60 to 604,800.', 'number')}
        </>
      )}
    </Section>
  );
}

function SenderField({ channel, draft, set }: PartProperties) {
  const query = $api.useQuery('get', '/v6/api/sender-ids', { params: { query: { limit: 1000 } } as never });
  const usable = (query.data?.data ?? []).filter((one) => one.channel === channel && one.status === 'approved');
  const name = channel === 'sms' ? 'senderId' : 'callerId';
  return (
    <SelectField
      label={channel === 'sms' ? 'Sender id' : 'Caller id'}
      hint={usable.length === 0 ? 'You have no approved sender id for this channel.' : undefined}
      options={[['', 'Default'], ...usable.map((one) => [one.sender_id, one.sender_id] as const)]}
      value={draft[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  );
}
