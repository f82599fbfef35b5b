import { useUrl } from '../../app/url.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Detail } from './detail.tsx';
import { List } from './list.tsx';

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
