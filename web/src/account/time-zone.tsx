import { api } from '../api/client.js';
import { knowSession, useMay, useMe } from '../app/session.js';
import { act, browserZone, Button, Form, Section, SelectField, timeZones, useServerForm } from '../ui/index.js';

const zones = (own: string): readonly (readonly [string, string])[] =>
  [...new Set([own, browserZone(), 'UTC', ...timeZones()])]
    .sort()
    .map((zone) => [zone, zone.replaceAll('_', ' ')] as const);

/** Saves the zone, and shows all times in it from then on. */
function useSaveZone(): (zone: string) => Promise<void> {
  const { pages: _pages, ...me } = useMe();
  return async (zone) => {
    await api.PUT('/v6/api/account/time-zone', { body: { time_zone: zone } });
    knowSession({ ...me, time_zone: zone, time_zone_chosen: true });
  };
}

/** The time zone of the account, which its owner changes. */
export function TimeZoneSection() {
  const { time_zone: zone } = useMe();
  const saveZone = useSaveZone();
  const form = useServerForm({ time_zone: zone });
  const save = async ({ time_zone: chosen }: { time_zone: string }) => {
    await saveZone(chosen);
    await act({ call: () => Promise.resolve(), done: 'Time zone saved' });
  };
  return (
    <Section title="Time zone">
      <Form needs="account" form={form} onSubmit={save} submitLabel="Save the time zone">
        <SelectField
          label="Time zone"
          hint="Times are shown in it, and read in it where they have no zone. Scheduled campaigns keep their moment."
          options={zones(zone)}
          error={form.errorOf('time_zone')}
          {...form.register('time_zone')}
        />
      </Form>
    </Section>
  );
}

/** Asks an owner who has not chosen a zone for that of the browser. */
export function ZoneNotice() {
  const { time_zone: zone, time_zone_chosen: isChosen } = useMe();
  const may = useMay('account');
  const saveZone = useSaveZone();
  const own = browserZone();
  if (!may || isChosen || own === zone) return null;
  const choose = (chosen: string) => act({ call: () => saveZone(chosen), done: `Times are in the zone ${chosen}` });
  return (
    <div className="card notice" role="status">
      <p>
        Times are shown in {zone}. This browser is in {own}. Which zone do you want to use?
      </p>
      <div className="actions">
        <Button onClick={() => void choose(own)}>Use {own}</Button>
        <Button onClick={() => void choose(zone)}>Keep {zone}</Button>
      </div>
    </div>
  );
}
