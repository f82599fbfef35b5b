import { useRef, useState } from 'react';
import { Link } from 'wouter';
import type { ImportSummary } from '#contract/imports.ts';
import { bodyOf, client } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { useStore } from '../../app/store.ts';
import { perform } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { Button } from '../../components/button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber } from '../../format.ts';
import { Detail, Progress, StateBadge } from './detail.tsx';
import { text } from './strings.ts';
import { upload, uploads } from './uploads.ts';

const FileDrop = () => {
  const [, setUrl] = useUrl();
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (file: File | undefined) => {
    if (file) void perform(async () => setUrl({ open: await upload(file) }));
  };
  return (
    // The button inside does the same by keyboard.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above.
    <div
      className="card file-drop"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files[0]);
      }}
    >
      <p>{text.drop}</p>
      <p className="soft small">{text.dropText}</p>
      <Button kind="primary" onClick={() => input.current?.click()}>
        {text.choose}
      </Button>
      <input
        ref={input}
        className="visually-hidden"
        type="file"
        aria-label={text.file}
        tabIndex={-1}
        accept=".csv,.tsv,text/csv"
        onChange={(event) => take(event.target.files?.[0])}
      />
    </div>
  );
};

const Imports = () => {
  const [url, setUrl] = useUrl();
  const page = Number(url.get('page') ?? 1);
  const shares = useStore(uploads);
  const imports = useResource(
    ['imports', 'list', { page }],
    (signal) => bodyOf(client.imports.list({ query: { page }, signal })),
    { poll: true },
  );
  const columns: readonly Column<ImportSummary>[] = [
    {
      id: 'file',
      label: text.file,
      kind: 'main',
      cell: ({ id, filename }) => (
        <Link href={`/imports?open=${id}`}>
          <bdi>{filename}</bdi>
        </Link>
      ),
    },
    {
      id: 'state',
      label: text.state,
      cell: ({ id, state }) => {
        const share = shares.get(id);
        return share === undefined ? <StateBadge state={state} /> : <Progress label={text.uploading} share={share} />;
      },
    },
    {
      id: 'rows',
      label: text.rowsHeading,
      kind: 'end minor',
      cell: ({ rows_total }) => rows_total !== null && formatNumber(rows_total),
    },
    {
      id: 'created',
      label: text.outcomes.created,
      kind: 'end minor',
      cell: ({ counts }) => formatNumber(counts.created),
    },
    { id: 'failed', label: text.outcomes.failed, kind: 'end minor', cell: ({ counts }) => formatNumber(counts.failed) },
    { id: 'at', label: text.at, kind: 'minor', cell: ({ created_at }) => <Time at={created_at} isAge /> },
  ];
  return (
    <div className="stack">
      <FileDrop />
      <section>
        <PagedTable
          query={imports}
          empty={text.empty}
          emptyText={text.emptyText}
          label={text.list}
          columns={columns}
          idOf={({ id }) => id}
          nameOf={({ filename }) => filename}
          onOpen={({ id }) => setUrl({ open: id })}
        />
      </section>
    </div>
  );
};

export const Page = () => {
  const [url] = useUrl();
  const open = url.get('open');
  return (
    <>
      <PageHeader title="Imports" />
      {open === null ? <Imports /> : <Detail key={open} id={open} />}
    </>
  );
};
