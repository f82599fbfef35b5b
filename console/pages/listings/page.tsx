import { useUrl } from '../../app/url.ts';
import { later } from '../../components/later.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { List } from './list.tsx';

const Detail = later(async () => (await import('./detail.tsx')).Detail);

export const Page = () => {
  const [url] = useUrl();
  const open = url.get('open');
  return (
    <>
      <PageHeader title="Listings" />
      {open === null ? <List /> : <Detail key={open} id={open} />}
    </>
  );
};
