/** A page of the guide before it is rendered. */
export interface GuidePage {
  /** below the guide; empty: its first page */
  path: string;
  /** below `docs` */
  file: string;
  text: string;
  title: string;
}

/** Pages of one folder. */
export interface GuideGroup {
  title: string;
  pages: readonly GuidePage[];
}

/** Folders in the order in which they are read, by the name they go under; others follow by their own. */
const FOLDERS = [
  ['start', 'Start'],
  ['own', 'Your account'],
  ['', 'For programs'],
  ['operate', 'Operate'],
  ['reference', 'Reference'],
  ['decisions', 'The code'],
] as const;
/** Pages of which a folder's list begins; the others follow by their title. */
const FIRST = [
  ...['which-api', 'prices', 'errors', 'events', 'changelog'],
  ...[
    'start/sms',
    'start/unofficial-chat',
    'start/templates',
    'start/branded',
    'start/session-messages',
    'start/voice',
  ],
  ...[
    'operate/production',
    'operate/configuration',
    'operate/drivers',
    'operate/runbook',
    'operate/sizing',
    'reference',
  ],
  ...['architecture', 'contributing'],
];

/** Pages that are read with those of another folder. */
const READ_WITH: Readonly<Record<string, string>> = {
  errors: '',
  faults: 'operate',
  glossary: 'reference',
  architecture: 'decisions',
  contributing: 'decisions',
};

const folderOf = ({ path, file }: GuidePage): string =>
  READ_WITH[path] ?? (file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '');
const placeOf = ({ path }: GuidePage): number => (FIRST.includes(path) ? FIRST.indexOf(path) : FIRST.length);

/** The pages by folders, as the navigation shows them; the first page stands above all. */
export function groupPages(pages: readonly GuidePage[]): GuideGroup[] {
  const known: readonly string[] = FOLDERS.map(([folder]) => folder);
  const others = [...new Set(pages.map(folderOf))].filter((folder) => !known.includes(folder)).sort();
  return [...FOLDERS, ...others.map((folder) => [folder, folder] as const)]
    .map(([folder, title]) => ({
      title,
      pages: inOrder(pages.filter((page) => page.path !== '' && folderOf(page) === folder)),
    }))
    .filter((group) => group.pages.length > 0);
}

const inOrder = (pages: GuidePage[]): GuidePage[] => pages.sort((a, b) => placeOf(a) - placeOf(b) || compare(a, b));

/** Numbered pages, such as decisions, by their number. */
const compare = (a: GuidePage, b: GuidePage): number =>
  /^\d/.test(a.title) ? a.path.localeCompare(b.path) : a.title.localeCompare(b.title);
