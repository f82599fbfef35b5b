import { expect, it } from 'vitest';
import { proposeMapping } from '#shared/csv/propose-mapping.ts';

const long = 'A long text. '.repeat(50);

const proposalOf = (header: readonly string[], ...rows: readonly (readonly string[])[]) =>
  proposeMapping(header, rows, []).columns;

it('a mapping is proposed for the header of a WordPress directory', () => {
  const header = [
    'Title',
    'Description (750 characters)',
    'Tagline',
    'Map Latitude',
    'Map Logitude',
    'Facebook',
    'Official page',
  ];
  const rows = [
    ['A', long, 'Short.', '48.85', '2.35', 'https://facebook.com/a', 'https://a.example/'],
    ['B', long, 'Brief.', '-33.8688', '151.2093', 'https://facebook.com/b', 'www.b.example'],
  ];
  expect(proposalOf(header, ...rows)).toEqual({
    Title: 'name',
    Tagline: 'description',
    'Description (750 characters)': 'long_description',
    'Map Latitude': 'latitude',
    'Map Logitude': 'longitude',
    'Official page': 'url',
  });
});

it.each<[string, string[], string[], Record<string, string>]>([
  ['a place in one cell', ['name', 'Where'], ['A', '48.8566, 2.3522'], { Where: 'coordinates' }],
  ['no place in two numbers that are not precise', ['name', 'Size'], ['A', '48.5, 2.25'], {}],
  ['no place beside a latitude', ['lat', 'Where'], ['1.5', '48.8566, 2.3522'], { lat: 'latitude' }],
  ['the axis before a known one', ['x', 'lon'], ['48.8566', '2.3'], { x: 'latitude', lon: 'longitude' }],
  ['no axis in a column of ratings', ['lat', 'rating'], ['48.8', '2.5'], { lat: 'latitude' }],
  ['no axis out of bounds', ['lat', 'price'], ['48.8', '999.555'], { lat: 'latitude' }],
  [
    'a misspelled axis before another number',
    ['Latitude', 'Rating', 'Map Logitude'],
    ['48.1', '3.125', '2'],
    { Latitude: 'latitude', 'Map Logitude': 'longitude' },
  ],
  [
    'the last word of a name',
    ['Business Website', 'Venue Lat', 'Venue Lng'],
    ['a.example', '1.5', '2.5'],
    {
      'Venue Lat': 'latitude',
      'Venue Lng': 'longitude',
    },
  ],
  [
    'an address by its name and cells',
    ['Image url', 'Business Website'],
    ['https://a.example/a.png', 'https://a.example'],
    {
      'Image url': 'logo_url',
      'Business Website': 'url',
    },
  ],
  ['an address by its cells', ['name', 'Page'], ['A', 'https://a.example'], { Page: 'url' }],
  ['no address in images', ['name', 'Photo 1'], ['A', 'https://a.example/a.jpg'], {}],
  ['a column with text before a blank one', ['Company', 'Title'], ['A', ''], { Company: 'name' }],
  ['a long description where there is no other', ['Description'], [long], { Description: 'description' }],
  [
    'two texts by their lengths',
    ['Description', 'Summary'],
    [long, 'Short.'],
    {
      Description: 'long_description',
      Summary: 'description',
    },
  ],
  [
    'counters',
    ['views_count', 'Upvote count'],
    ['1', '2'],
    { views_count: 'views_count', 'Upvote count': 'upvote_count' },
  ],
  ['no column whose name is repeated', ['Page', 'Page'], ['https://a.example', 'https://b.example'], {}],
])('a mapping proposes %s', (_, header, row, columns) => {
  const { name: _name, ...others } = { name: '', ...proposalOf(header, row) };
  expect(others).toEqual(columns);
});

it('a mapping proposes no field for the pages of one host', () => {
  const rows = [['https://social.example/a'], ['https://social.example/b']];
  expect(proposalOf(['Social'], ...rows)).toEqual({});
});

it('a mapping is proposed for a header without records', () => {
  expect(proposalOf(['name', 'website', 'lat'])).toEqual({ name: 'name', website: 'url', lat: 'latitude' });
});
