// The scales of a slider: where a value stands on its track, and which values it offers.

// A scale says where a value of low..high stands on the native range (its position), and which values are offered.
// This one offers even steps from the declared low end; a position is the value itself.
export class Steps {
  constructor({ low, step }, track) {
    Object.assign(this, track, { origin: low, step });
  }

  toPosition(value) {
    return value;
  }

  toValue(position) {
    return position;
  }

  snap(value) {
    const { origin, step } = this;
    return Number((origin + Math.round((value - origin) / step) * step).toPrecision(12));
  }

  offers(value) {
    return Math.abs(this.snap(value) - value) < this.step * 1e-6;
  }

  // On the grid the browser's own steps serve assistive technology; off the grid they would move the value.
  nativeStep(value) {
    return this.low === this.origin && this.offers(value) ? this.step : "any";
  }

  // The neighbouring value on the grid, so that a step from an exact typed value lands on a round one.
  next(value, way, far) {
    const { low, high, step } = this;
    const by = way * (far ? Math.max(step, Math.round((high - low) / 10 / step) * step) : step);
    const near = this.snap(value);
    const short = Math.abs(by) <= step && !this.offers(value);
    return short && (near - value) * by > 0 ? near : this.snap(value + by);
  }
}

// This one offers the given values (and the ends that a typed value stretched the track to), one position apart each.
export class Stops {
  constructor({ stops }, track) {
    Object.assign(this, track, { stops: [...new Set([track.low, ...stops, track.high])] });
  }

  toPosition(value) {
    const above = this.stops.findIndex((stop) => stop >= value);
    const [from, to] = [this.stops[above - 1] ?? value, this.stops[above]];
    return above - (to - value) / (to - from || 1);
  }

  toValue(position) {
    const below = Math.floor(position);
    const [from, to] = [this.stops[below], this.stops[below + 1] ?? this.high];
    return from + (position - below) * (to - from);
  }

  snap(value) {
    return this.stops[Math.round(this.toPosition(value))];
  }

  nativeStep(value) {
    return this.stops.includes(value) ? 1 : "any";
  }

  next(value, way, far) {
    const { stops } = this;
    const leap = far ? Math.max(1, Math.round((stops.length - 1) / 10)) : 1;
    const at = this.toPosition(value);
    const index = (way > 0 ? Math.floor(at) : Math.ceil(at)) + way * leap;
    return stops[Math.min(stops.length - 1, Math.max(0, index))];
  }
}
