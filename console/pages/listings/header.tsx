import { Link } from 'wouter';
import { useCurrentUser } from '../../app/current-user.ts';
import { useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { later } from '../../components/lazy.tsx';
import { formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';
import { filtersOf, useListings } from './query.ts';
import { text } from './strings.ts';

const ExportDialog = later(async () => (await import('./export.tsx')).ExportDialog, null);
const NewListing = later(async () => (await import('./new-listing.tsx')).NewListing, null);

/** The number of listings, and what is done without one. The open dialog is in the URL. */
export const Header = () => {
  const [url, setUrl] = useUrl();
  const { is_admin: isAdmin } = useCurrentUser();
  const filters = filtersOf(url);
  const { data } = useListings(filters);
  const origin = url.get('new');
  const next = new URLSearchParams(url);
  next.set('new', '1');
  return (
    <>
      <span className="soft number">{data && formatNumber(data.meta.total)}</span>
      {isAdmin && (
        <span className="row push">
          <Button onClick={() => setUrl({ dialog: 'export' })}>{strings.actions.export}</Button>
          <Link className="button primary" href={`/listings?${next.toString()}`}>
            {text.create}
          </Link>
        </span>
      )}
      {isAdmin && url.get('dialog') === 'export' && (
        <ExportDialog
          filters={filters}
          matching={data?.meta.total}
          onClose={() => setUrl({ dialog: undefined }, { replace: true })}
        />
      )}
      {isAdmin && origin !== null && (
        <NewListing
          origin={origin === '1' ? undefined : origin}
          onClose={(made) => setUrl({ new: undefined, open: made }, { replace: true })}
        />
      )}
    </>
  );
};
