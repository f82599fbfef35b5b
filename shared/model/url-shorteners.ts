/**
 * Hosts of public URL shorteners. No maintained list is available as a package with a permissive licence; docs/adr/0062 says
 * how this one came about.
 */
export const urlShorteners: ReadonlySet<string> = new Set(
  `adf.ly aka.ms amzn.to b.link bit.do bit.ly bitly.com bl.ink buff.ly chilp.it clck.ru cli.re cutt.ly cutt.us db.tt dlvr.it
  dub.sh fb.me g.co gg.gg git.io go.ly goo.gl han.gl hubs.ly ift.tt is.gd j.mp kutt.it lnkd.in lnk.to mcaf.ee
  msft.it n9.cl ow.ly po.st ppt.cc q.gs qr.ae qrco.de rb.gy rebrand.ly reurl.cc rotf.lol s.id s2r.co sh.st short.io
  shorturl.at shorte.st smarturl.it snip.ly soo.gd su.pr surl.li t.co t.ly t2m.io tiny.cc tiny.one tinyurl.com tny.im tr.im
  trib.al u.nu u.to urlz.fr urly.it v.gd vk.cc w.wiki wp.me x.co y2u.be zpr.io zws.im`.split(/\s+/),
);
