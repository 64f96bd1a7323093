package io.trainyard.forecast;

import io.trainyard.forecast.PaceModel.Guess;
import java.util.SplittableRandom;

/// What is still to come of one urgency, lane and project, in one draw.
final class Coming {
    private final Arrivals arrivals;
    private final double rate;
    private final SplittableRandom chance;
    private double nextSeconds;
    private int left; // of the burst
    private int come; // that nobody has taken

    Coming(Arrivals arrivals, SplittableRandom chance) {
        this.arrivals = arrivals;
        this.chance = chance;
        rate = arrivals.rate(chance);
        burst(0);
    }

    private void burst(double fromSeconds) {
        nextSeconds = rate <= 0 ? Double.POSITIVE_INFINITY : fromSeconds + chance.nextExponential() / rate;
        left = rate <= 0 ? 0 : arrivals.size(chance);
    }

    Arrivals.Which which() {
        return arrivals.which();
    }

    /// When the next comes.
    double nextSeconds() {
        return nextSeconds;
    }

    /// The next is here.
    void arrive() {
        come++;
        if (--left == 0) {
            burst(nextSeconds);
        }
    }

    /// Whether one is here that nobody has taken.
    boolean isThere(double now) {
        return come > 0 || nextSeconds <= now;
    }

    /// Takes one that is here.
    ///
    /// @return how long it will run, in seconds
    double take() {
        if (come == 0) {
            arrive();
        }
        come--;
        Guess guess = arrivals.job(chance);
        return Math.exp(guess.logSeconds() + Math.hypot(guess.common(), guess.each()) * chance.nextGaussian());
    }
}
