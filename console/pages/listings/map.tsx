import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { type Cluster, isSingle, type ListingMap, showListingMap } from '#site/browser/listing-map.ts';
import { bodyOf, client, messageOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { Button } from '../../components/button.tsx';
import { Loaded } from '../../components/states.tsx';
import { useLatest } from '../../components/use-latest.ts';
import { formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';
import { type Filters, mapQueryOf } from './query.ts';
import { map as text } from './strings.ts';

const SHOWN_MAX = 100;

/** The listings that no zoom sets apart. */
const SamePlace = ({
  cluster: { bbox, properties },
  filters,
  hrefOf,
  onClose,
}: {
  readonly cluster: Cluster;
  readonly filters: Filters;
  readonly hrefOf: (id: string) => string;
  readonly onClose: () => void;
}) => {
  const card = useRef<HTMLDivElement>(null);
  const query = { ...mapQueryOf(filters), bbox: bbox.join(','), limit: SHOWN_MAX };
  const found = useResource(['projects', 'place', query], (signal) => bodyOf(client.projects.list({ query, signal })));
  useEffect(() => card.current?.focus(), []);
  return (
    <div className="map-card" ref={card} tabIndex={-1}>
      <p>{text.samePlace(formatNumber(properties.count))}</p>
      <Loaded query={found} rows={2}>
        {({ data }) => (
          <ul>
            {data.map(({ id, name }) => (
              <li key={id}>
                <Link href={hrefOf(id)} dir="auto">
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Button kind="quiet" icon="close" label={strings.actions.close} onClick={onClose} />
    </div>
  );
};

/** The live listings that match, in clusters. */
export const MapView = ({
  filters,
  hrefOf,
  onOpen,
}: {
  readonly filters: Filters;
  readonly hrefOf: (id: string) => string;
  readonly onOpen: (id: string) => void;
}) => {
  const surface = useRef<HTMLDivElement>(null);
  const outlines = useRef<SVGSVGElement>(null);
  const markers = useRef<HTMLDivElement>(null);
  const map = useRef<ListingMap | undefined>(undefined);
  const [total, setTotal] = useState<number>();
  const [problem, setProblem] = useState<unknown>();
  const [chosen, setChosen] = useState<{ readonly marker: HTMLElement; readonly cluster: Cluster }>();
  const query = mapQueryOf(filters);
  const latest = useLatest({ query, onOpen });

  useEffect(() => {
    if (!surface.current || !outlines.current || !markers.current) return undefined;
    const shown = showListingMap(
      { surface: surface.current, outlines: outlines.current, markers: markers.current },
      {
        kind: 'mercator',
        format: formatNumber,
        labelOf: (count, isApart) => (isApart ? text.cluster(count) : text.samePlace(count)),
        load: async (bbox, zoom, signal) => {
          const found = await bodyOf(client.projects.map({ query: { ...latest.current.query, bbox, zoom }, signal }));
          if ('items' in found) throw new Error('The map has no clusters.');
          return found;
        },
        onLoaded: (count) => {
          setTotal(count);
          setProblem(undefined);
        },
        onProblem: setProblem,
        onOpen: (marker, one) => (isSingle(one) ? latest.current.onOpen(one.id) : setChosen({ marker, cluster: one })),
      },
    );
    map.current = shown;
    return shown.stop;
  }, [latest]);

  const filtered = JSON.stringify(query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters have other clusters.
  useEffect(() => {
    setChosen(undefined);
    map.current?.reload();
  }, [filtered]);

  const close = () => {
    chosen?.marker.focus();
    setChosen(undefined);
  };
  return (
    <section className="map" aria-label={text.label} onKeyDown={({ key }) => key === 'Escape' && chosen && close()}>
      <div
        className="map-view"
        ref={surface}
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard moves the map.
        tabIndex={0}
        aria-label={text.label}
        aria-describedby="map-keys"
        dir="ltr"
      >
        <svg aria-hidden="true" ref={outlines} />
        <div ref={markers} />
      </div>
      <div className="map-controls">
        <Button icon="add" label={text.zoomIn} onClick={() => map.current?.zoomBy(1)} />
        <Button icon="less" label={text.zoomOut} onClick={() => map.current?.zoomBy(-1)} />
      </div>
      {chosen && <SamePlace cluster={chosen.cluster} filters={filters} hrefOf={hrefOf} onClose={close} />}
      <div className="map-foot soft small">
        <span role="status">{total !== undefined && text.inView(formatNumber(total))}</span>
        <Button kind="link" onClick={() => map.current?.showWhole()}>
          {text.whole}
        </Button>
        <span id="map-keys">{text.keys}</span>
        <span>{text.note}</span>
        <span>{text.source}</span>
      </div>
      {problem !== undefined && (
        <p className="message bad" role="alert">
          {messageOf(problem)}
        </p>
      )}
    </section>
  );
};
