/** Line icons of 24 by 24, drawn with the colour of the text. */
const paths = {
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 4.5 4.5',
  up: 'M12 5.5 4.5 17h15z',
  star: 'm12 3 2.7 5.8 6.3.7-4.7 4.3 1.3 6.2L12 16.9 6.4 20l1.3-6.2L3 9.5l6.3-.7z',
  comment: 'M4 5h16v11H9l-5 4z',
  arrow: 'M7 17 17 7M9 7h8v8',
  place:
    'M12 21s-6.5-6.1-6.5-11a6.5 6.5 0 0 1 13 0C18.500 14.900 12 21 12 21Zm0-8.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5Z',
  close: 'm6 6 12 12M18 6 6 18',
  bookmark: 'M6 4h12v16l-6-4.500L6 20z',
  flag: 'M5 21V4h13l-2.500 4.500L18 13H5',
  theme: 'M12 3a9 9 0 1 0 0 18Zm0 0a9 9 0 0 1 0 18',
  filter: 'M4 6h16M7 12h10M10 18h4',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm-9 9h18M12 3c-5 5-5 13 0 18 5-5 5-13 0-18Z',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name, filled = false }: { readonly name: IconName; readonly filled?: boolean }) => (
  <svg class={filled ? 'icon filled' : 'icon'} viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
