import { useState } from 'react';
import { $api } from '../api/client.js';
import { Button, momentIn, Page, useAddress, useTimeZone } from '../ui/index.js';
import { bodyOf, type ChannelName, CHANNELS, type Draft, EMPTY, missingOf } from './draft.js';
import { OptionsPart } from './options-part.js';
import { PricePart } from './price-part.js';
import { RecipientsPart } from './recipients-part.js';
import './send.css';
import { WritePart } from './write-part.js';

/** A campaign from its text to its departure, on every channel; what leaves and what it costs stands beside it. */
export default function SendPage() {
  const [address, change] = useAddress();
  const channel: ChannelName = CHANNELS.find(([name]) => name === address['channel'])?.[0] ?? 'sms';
  const [draft, setDraft] = useState<Draft>(() => ({
    ...EMPTY,
    template: address['template'] ?? '',
    ...(address['upload_id'] !== undefined && { source: 'upload', uploadId: address['upload_id'] }),
    ...(address['list_id'] !== undefined && { source: 'list', listId: address['list_id'] }),
  }));
  const zone = useTimeZone();
  const set = (fields: Partial<Draft>) => setDraft((former) => ({ ...former, ...fields }));
  const templates = $api.useQuery('get', '/v6/api/templates', { params: { query: { limit: 1000 } } as never });
  const template = templates.data?.data.find(({ template_name }) => template_name === draft.template);
  return (
    <Page title="New campaign" about="Write, choose the recipients, see the price, then send.">
      <div className="channels" role="group" aria-label="Channel">
        {CHANNELS.map(([name, title]) => (
          <Button key={name} aria-pressed={name === channel} onClick={() => change({ channel: name })}>
            {title}
          </Button>
        ))}
      </div>
      <div className="send">
        <div>
          <WritePart channel={channel} draft={draft} set={set} templates={templates} template={template} />
          <RecipientsPart channel={channel} draft={draft} set={set} />
          <OptionsPart channel={channel} draft={draft} set={set} />
        </div>
        <div className="beside">
          <PricePart
            channel={channel}
            body={bodyOf(channel, draft, template)}
            missing={missingOf(channel, draft, zone)}
            at={momentIn(draft.schedule, zone)}
            values={draft.bodyValues}
            header={draft.headerValue}
            template={template}
          />
        </div>
      </div>
    </Page>
  );
}
