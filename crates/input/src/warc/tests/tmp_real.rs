use super::fixtures::*;
use super::*;
use crate::{Format, Piece};
struct Count(std::collections::BTreeMap<String,(u64,u64)>, Vec<String>);
impl Sink for Count {
    fn document(&mut self, d: &Document<'_>) -> Result<(), SinkError> { let e=self.0.entry(format!("doc {} {} {:?}", d.media_type, d.charset, d.flags)).or_default(); e.0+=1; e.1+=d.body.len() as u64;
        if self.1.len()<2 { self.1.push(format!("{:?} {:?} {:?} {:?} {:?}", d.id,d.url,d.date,d.place,&d.content.as_str().chars().take(60).collect::<String>())); } Ok(()) }
    fn rejected(&mut self, r: Rejection) -> Result<(), SinkError> { self.0.entry(format!("rej {} {}", r.reason, r.detail.chars().take(60).collect::<String>())).or_default().0+=1; Ok(()) }
    fn skipped(&mut self, k: &str) { self.0.entry(format!("skip {k}")).or_default().0+=1; }
}
#[test]
fn real() {
    let Ok(paths)=std::env::var("REAL") else {return};
    for path in paths.split(':') {
        let source=crate::range::tests::source_of(std::path::Path::new(path), Format::Warc);
        let mut c=Count(Default::default(),vec![]);
        let t=std::time::Instant::now();
        let e=super::super::read_piece(&source,&Piece{file:0,start:0,end:source.bytes},None,&options(CAP),&mut c).unwrap();
        eprintln!("{path} {} bytes {:?} {e:?}", source.bytes, t.elapsed());
        for (k,v) in &c.0 { eprintln!("   {v:?} {k}"); }
        for l in &c.1 { eprintln!("   {l}"); }
    }
}
