import { getCountries, isSupportedCountry } from 'libphonenumber-js/max';

/** Whether the text is an ISO 3166 alpha-2 code of a country that has telephone numbers. */
export const isCountry = (text: string): boolean => isSupportedCountry(text);

const NAMES = new Intl.DisplayNames(['en'], { type: 'region' });

let byName: ReadonlyMap<string, string> | undefined;
let byZone: ReadonlyMap<string, string> | undefined;

const canonical = (zone: string): string | null => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
};

/** The country that a text names, by its code or its English name; null = none. */
export function countryNamed(text: string): string | null {
  const word = text.trim();
  const code = word.toUpperCase();
  if (word.length === 2) return isCountry(code) ? code : null;
  byName ??= new Map(getCountries().map((country) => [NAMES.of(country)?.toLowerCase() ?? country, country]));
  return byName.get(word.toLowerCase()) ?? null;
}

/** The country of a time zone (IANA); null for zones of none, such as UTC. */
export function countryOfZone(zone: string): string | null {
  byZone ??= new Map(getCountries().flatMap((country) => zonesOf(country).map((name) => [name, country] as const)));
  const name = canonical(zone);
  return name === null ? null : (byZone.get(name) ?? null);
}

/** The country of a new account, by the text that it gave, else by its time zone. */
export const countryGuess = (text: string | null, zone: string): string | null =>
  (text === null ? null : countryNamed(text)) ?? countryOfZone(zone);

/** Node 20 has the zones of a region as a property, later versions as a method. */
type Zones = { getTimeZones?: () => string[] | undefined; timeZones?: string[] };

function zonesOf(country: string): string[] {
  const locale = new Intl.Locale(`und-${country}`) as Intl.Locale & Zones;
  const zones = locale.getTimeZones?.() ?? locale.timeZones ?? [];
  return zones.flatMap((zone) => canonical(zone) ?? []);
}
