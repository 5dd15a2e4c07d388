/** Zones that browsers call by a former name. */
const RENAMED: Readonly<Record<string, string>> = {
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
};

const named = (zone: string): string => RENAMED[zone] ?? zone;

/** The time zone of this machine, by its present name. */
export const browserZone = (): string => named(Intl.DateTimeFormat().resolvedOptions().timeZone);

/** The zones that the browser knows, by their present names. */
export const timeZones = (): readonly string[] => Intl.supportedValuesOf('timeZone').map(named);
