//! Follows chains of revisits: those that look for a revisit have its original as soon as that is
//! known.
//!
//! *Input.* Keys that revisits look for, and keys of revisits; the order in which originals are
//! found. *Output.* More originals. *Algorithm.* The keys of both sides are joined once, by sorts.
//! A *place* is a key that is looked for, in sorted order; a revisit serves the place that it
//! matches, and those behind it which the same key serves, up to one that is served already. Then
//! the revisits are visited breadth first, in rounds: each is visited once and each place is served
//! once, so the cost does not grow with the length of chains. *Memory.* Four cells a place, two a
//! revisit and two for each place that it serves, in memory or on disk.

use super::originals::Originals;
use super::records::WantedKey;
use super::scope::SearchScope;
use super::sides::Sides;
use crate::sketch::planned_segment::PHASE;
use cluster::Cells;
use engine::cells::SpillableCells;
use model::Words;
use runtime::Error;
use std::ops::Range;

/// Keys that revisits look for, by the revisits that have them.
pub(super) struct Followers {
    /// By place: the revisit that looks for it.
    wanters: SpillableCells,
    /// By place: twice the rank of the key, plus one at the last place that one key can serve.
    ranks: SpillableCells,
    /// By place: 0, or one more than the turn of the revisit that serves it.
    servers: SpillableCells,
    /// By place: how good the key of that revisit is.
    orders: SpillableCells,
    /// By revisit: the end of its offers.
    ends: SpillableCells,
    /// By offer: its place, and how good its key is; the greater, the better.
    offers: [SpillableCells; 2],
    /// By revisit: the rank of the key by which its original was found in this round.
    found_by: SpillableCells,
    /// The first turn that is not visited yet.
    next_turn: u32,
}

/// Checks that 32 bits number them.
fn numbered(count: u64) -> Result<u32, Error> {
    u32::try_from(count).map_err(|_| {
        Error::Usage(format!(
            "failed to resolve revisits: {count} keys of them are too many for one snapshot; make \
             two of it"
        ))
    })
}

impl Followers {
    /// Joins both sides. Revisits are visited from the turn `next_turn` on.
    pub(super) fn of(
        scope: &SearchScope<'_>,
        sides: Sides,
        is_match: fn(u128, u128) -> bool,
        revisits: u32,
        next_turn: u32,
    ) -> Result<Followers, Error> {
        let (wanted, offered) = sides.sorters();
        let places = numbered(wanted.pushed())?;
        let mut wanters = scope.cells("wanters", places)?;
        let mut ranks = scope.cells("ranks", places)?;
        let mut offers =
            scope
                .engine
                .word_sorter::<Words<3>>(PHASE, "revisits-serving", scope.share_bytes);
        let mut offered = offered.finish()?;
        let mut wanted = wanted.finish()?;
        let mut offer = offered.next()?;
        let mut order = 0;
        let (mut place, mut next) = (0, wanted.next()?);
        while let Some(WantedKey { key, rank, revisit }) = next {
            let mut last_key = None;
            while let Some(one) = offer.filter(|offer| offer.key <= key) {
                if is_match(one.key, key) {
                    let is_other = last_key.replace(one.key) != Some(one.key);
                    order = u32::saturating_add(order, u32::from(is_other));
                    offers.push(Words([one.doc, place, order]))?;
                }
                offer = offered.next()?;
            }
            next = wanted.next()?;
            let is_last = next.is_none_or(|next| !is_match(key, next.key));
            wanters.set(place, revisit)?;
            let rank = u32::from(rank) * 2 + u32::from(is_last);
            ranks.set(place, rank)?;
            place += 1;
        }
        let count = numbered(offers.pushed())?;
        let mut followers = Followers {
            wanters,
            ranks,
            servers: scope.cells("servers", places)?,
            orders: scope.cells("orders", places)?,
            ends: scope.cells("ends", revisits)?,
            offers: [
                scope.cells("served", count)?,
                scope.cells("serving-orders", count)?,
            ],
            found_by: scope.cells("found-by", revisits)?,
            next_turn,
        };
        let mut sorted = offers.finish()?;
        let mut offer = sorted.next()?;
        let mut at = 0;
        for revisit in 0..revisits {
            while let Some(Words([_, place, order])) = offer.filter(|one| one.0[0] == revisit) {
                followers.offers[0].set(at, place)?;
                followers.offers[1].set(at, order)?;
                at += 1;
                offer = sorted.next()?;
            }
            followers.ends.set(revisit, at)?;
        }
        Ok(followers)
    }

    /// Visits revisits until no other original is found.
    pub(super) fn follow(
        &mut self,
        scope: &SearchScope<'_>,
        originals: &mut Originals,
    ) -> Result<(), Error> {
        while self.next_turn < originals.found {
            self.round(scope, originals)?;
        }
        Ok(())
    }

    /// Visits the revisits whose originals are known now.
    pub(super) fn round(
        &mut self,
        scope: &SearchScope<'_>,
        originals: &mut Originals,
    ) -> Result<(), Error> {
        scope.engine.disk.check_interrupt()?;
        let turns = self.next_turn..originals.found;
        self.next_turn = turns.end;
        for turn in turns.clone() {
            let revisit = originals.at_turn(turn)?;
            for offer in self.offers_of(revisit)? {
                self.choose_server(scope, originals, (turn, offer), turns.start)?;
            }
        }
        for turn in turns.clone() {
            let revisit = originals.at_turn(turn)?;
            let Some(doc) = originals.of(revisit)? else {
                continue;
            };
            for offer in self.offers_of(revisit)? {
                let place = self.offers[0].get(offer)?;
                if self.servers.get(place)? == turn + 1 {
                    self.serve(originals, (place, turn, doc), turns.end)?;
                }
            }
        }
        Ok(())
    }

    fn offers_of(&mut self, revisit: u32) -> Result<Range<u32>, Error> {
        let before = revisit.checked_sub(1);
        let begin = before.map_or(Ok(0), |before| self.ends.get(before));
        Ok(begin?..self.ends.get(revisit)?)
    }

    /// Notes that the revisit of this turn serves a place, if none of an earlier round does, and no
    /// better one of this round, which began with the turn `first`.
    fn choose_server(
        &mut self,
        scope: &SearchScope<'_>,
        originals: &mut Originals,
        (turn, offer): (u32, u32),
        first: u32,
    ) -> Result<(), Error> {
        let place = self.offers[0].get(offer)?;
        let order = self.offers[1].get(offer)?;
        let mut merit = |turn, order| -> Result<_, Error> {
            let revisit = originals.at_turn(turn)?;
            let doc = originals.of(revisit)?.unwrap_or(u32::MAX);
            Ok((order, doc >= scope.first(), std::cmp::Reverse(doc)))
        };
        let is_better = match self.servers.get(place)?.checked_sub(1) {
            None => true,
            Some(server) if server < first => false,
            Some(server) => {
                let held = self.orders.get(place)?;
                merit(turn, order)? > merit(server, held)?
            }
        };
        if is_better {
            self.servers.set(place, turn + 1)?;
            self.orders.set(place, order)?;
        }
        Ok(())
    }

    /// Gives the revisits that look for what this revisit has its original, from a place on. Those
    /// found in this round have turns from `round_end` on.
    fn serve(
        &mut self,
        originals: &mut Originals,
        (mut place, turn, doc): (u32, u32, u32),
        round_end: u32,
    ) -> Result<(), Error> {
        loop {
            let revisit = self.wanters.get(place)?;
            let rank = self.ranks.get(place)?;
            let is_better = match originals.turn_of(revisit)? {
                None => true,
                Some(turn) if turn < round_end => false,
                Some(_) => rank < self.found_by.get(revisit)?,
            };
            if is_better {
                originals.set(revisit, doc)?;
                self.found_by.set(revisit, rank)?;
            }
            if rank % 2 == 1 {
                return Ok(());
            }
            place += 1;
            if self.servers.get(place)? != 0 {
                return Ok(());
            }
            self.servers.set(place, turn + 1)?;
        }
    }
}
