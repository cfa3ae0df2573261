use majuscule::corpus::*;
use majuscule::methods::maxent::*;
use majuscule::text::*;
use std::num::NonZeroUsize;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let protocol: Protocol = args[1].parse().unwrap();
    let mut config = Config::default();
    config.rate = args[2].parse().unwrap();
    config.look_ahead = args[3].parse().unwrap();
    config.epochs = args[4].parse().unwrap();
    let t = std::time::Instant::now();
    let corpus = Corpus::new(&[&args[5]], Reading::default(), protocol, Locale::Root).unwrap();
    let model = train(&config, &corpus, NonZeroUsize::new(2).unwrap()).unwrap();
    eprintln!("trained {:?}", t.elapsed());
    let dev = Corpus::new(&args[6..], Reading::default(), protocol, Locale::Root).unwrap();
    let (mut c, mut s, mut d, mut i) = (0.0, 0.0, 0.0, 0.0);
    for e in dev.examples().unwrap() {
        let found = model.classes(&e.tokens);
        for (f, g) in found.iter().zip(&e.gold) {
            if !g.scored {
                continue;
            }
            let g = g.label.case.class() as usize;
            match (g, *f) {
                (0, 0) => {}
                (0, _) => i += 1.0,
                (_, 0) => d += 1.0,
                (a, b) if a == b => c += 1.0,
                _ => s += 1.0,
            }
        }
    }
    println!(
        "{:?} SER {:.4} F {:.4} c {c} s {s} d {d} i {i}",
        args,
        (s + d + i) / (c + s + d),
        2.0 * c / (2.0 * c + 2.0 * s + d + i)
    );
}
